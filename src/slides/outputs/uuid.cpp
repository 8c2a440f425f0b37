#include "slides/outputs/uuid.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

namespace macareu::slides {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view hexadecimal = "0123456789abcdef";

std::uint32_t word_at(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

/// Adds blocks all over a file, or all of a small one.
void add_content(sha1& sum, const fs::path& file, std::uint64_t size) {
  constexpr std::uint64_t all_of = std::uint64_t{16} << 20, block = std::uint64_t{64} << 10;
  std::ifstream in(file, std::ios::binary);
  std::vector<char> bytes(block);
  const auto blocks = std::min(size, all_of) / block;
  const auto add_at = [&](std::uint64_t offset, std::uint64_t count) {
    in.seekg(static_cast<std::streamoff>(offset));
    if (!in.read(bytes.data(), static_cast<std::streamsize>(count)))
      throw io_error(file.string(), "cannot be read");
    sum.add({bytes.data(), static_cast<std::size_t>(count)});
  };
  if (!in) throw io_error(file.string(), std::strerror(errno));
  for (std::uint64_t i = 0; i < blocks; ++i)
    add_at(size <= all_of ? i * block : i * ((size - block) / (blocks - 1)), block);
  if (size <= all_of && size % block > 0) add_at(size - size % block, size % block);
}

}  // namespace

void sha1::take_block(const std::uint8_t* block) {
  std::array<std::uint32_t, 80> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = word_at(block + 4 * i);
  for (std::size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state_;
  for (std::size_t i = 0; i < 80; ++i) {
    const auto [f, k] = i < 20   ? std::pair{(b & c) | (~b & d), 0x5A827999u}
                        : i < 40 ? std::pair{b ^ c ^ d, 0x6ED9EBA1u}
                        : i < 60 ? std::pair{(b & c) | (b & d) | (c & d), 0x8F1BBCDCu}
                                 : std::pair{b ^ c ^ d, 0xCA62C1D6u};
    const auto next = std::rotl(a, 5) + f + e + k + w[i];
    e = std::exchange(d, std::exchange(c, std::rotl(std::exchange(b, std::exchange(a, next)), 30)));
  }
  const std::array now{a, b, c, d, e};
  for (std::size_t i = 0; i < 5; ++i) state_[i] += now[i];
}

void sha1::add(std::string_view bytes) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (auto left = bytes.size(); left > 0;) {
    const auto used = static_cast<std::size_t>(size_ % 64);
    const auto now = std::min(left, 64 - used);
    std::memcpy(block_.data() + used, p, now);
    size_ += now;
    p += now;
    left -= now;
    if (size_ % 64 == 0) take_block(block_.data());
  }
}

sha1::digest sha1::end() {
  const auto bits = 8 * size_;
  add(std::string(1, '\x80'));
  add(std::string((120 - size_ % 64) % 64, '\0'));
  std::string length;
  for (int shift = 56; shift >= 0; shift -= 8) length += static_cast<char>(bits >> shift);
  add(length);
  digest result;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::uint8_t>(state_[i / 4] >> 8 * (3 - i % 4));
  return result;
}

uuid uuid5(const uuid& space, std::string_view name) {
  sha1 sum;
  sum.add({reinterpret_cast<const char*>(space.data()), space.size()});
  sum.add(name);
  const auto all = sum.end();
  uuid result;
  std::copy_n(all.begin(), result.size(), result.begin());
  result[6] = static_cast<std::uint8_t>((result[6] & 0x0F) | 0x50);
  result[8] = static_cast<std::uint8_t>((result[8] & 0x3F) | 0x80);
  return result;
}

void append(std::string& to, const uuid& of) {
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) to += '-';
    to += hexadecimal[of[i] >> 4];
    to += hexadecimal[of[i] & 15];
  }
}

std::string checksum_of(const fs::path& file) {
  std::vector<fs::path> files;
  if (fs::is_directory(file)) {
    for (const auto& entry : fs::recursive_directory_iterator(file))
      if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
  } else {
    files.push_back(file);
  }
  // Directories have many chunks: names and sizes of all, contents of some.
  constexpr std::size_t most_contents = 64;
  const auto step = std::max<std::size_t>(files.size() / most_contents, 1);
  sha1 sum;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto size = fs::file_size(files[i]);
    if (files.size() > 1) sum.add(files[i].lexically_relative(file).string());
    sum.add("/" + std::to_string(size) + "/");
    if (i % step == 0) add_content(sum, files[i], size);
  }
  std::string text;
  for (const auto byte : sum.end()) {
    text += hexadecimal[byte >> 4];
    text += hexadecimal[byte & 15];
  }
  return text;
}

}  // namespace macareu::slides

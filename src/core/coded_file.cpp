#include "core/coded_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>

#include <macareu/error.hpp>

namespace macareu {
namespace {

/// Of a part: small ones, because readers decode whole parts.
constexpr std::int64_t part_rows = 64, part_columns = 256;

void append(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  const auto at = to.size();
  to.resize(at + bytes);
  std::memcpy(to.data() + at, from, bytes);
}

/// Tokens of u32: the number of pixels, and in the lowest bit whether one pixel stands for all.
template <class T>
void code(const T* from, std::int64_t count, std::vector<std::byte>& to) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  constexpr std::int64_t worth = 8 / sizeof(T) + 1;  // shorter runs take more bytes than they save
  const auto put = [&](std::int64_t first, std::int64_t end, bool run) {
    while (first < end) {
      const auto length = std::min(end - first, most);
      const auto token = static_cast<std::uint32_t>(length << 1 | run);
      append(to, &token, sizeof token);
      append(to, from + first, static_cast<std::size_t>(run ? 1 : length) * sizeof(T));
      first += length;
    }
  };
  std::int64_t plain = 0;  // where pixels begin that are not coded yet
  for (std::int64_t i = 0; i < count;) {
    std::int64_t end = i + 1;
    while (end < count && from[end] == from[i]) ++end;
    if (end - i >= worth) {
      put(plain, i, false);
      put(i, end, true);
      plain = end;
    }
    i = end;
  }
  put(plain, count, false);
}

template <class T>
void decode(const std::vector<std::byte>& from, std::int64_t, T* to) {
  for (std::size_t at = 0; at < from.size();) {
    std::uint32_t token;
    std::memcpy(&token, from.data() + at, sizeof token);
    at += sizeof token;
    const auto length = static_cast<std::size_t>(token >> 1);
    if (token & 1) {
      T value;
      std::memcpy(&value, from.data() + at, sizeof value);
      at += sizeof value;
      std::fill_n(to, length, value);
    } else {
      std::memcpy(to, from.data() + at, length * sizeof(T));
      at += length * sizeof(T);
    }
    to += length;
  }
}

/// Of a block's differences to the pixels before: how many bits the largest has, then as many bits of each.
constexpr std::int64_t block = 64;

void code(const std::uint16_t* from, std::int64_t count, std::vector<std::byte>& to) {
  std::uint16_t last = 0;
  for (std::int64_t begin = 0; begin < count; begin += block) {
    std::array<std::uint16_t, block> steps{};
    const auto now = std::min(block, count - begin);
    std::uint16_t all = 0;
    for (std::int64_t i = 0; i < now; ++i) {
      const std::uint16_t before = i > 0 ? from[begin + i - 1] : last;
      const auto step = static_cast<std::int16_t>(from[begin + i] - before);
      // Small differences of both signs have few bits.
      steps[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>((step << 1) ^ (step >> 15));
      all |= steps[static_cast<std::size_t>(i)];
    }
    last = from[begin + now - 1];
    const auto width = static_cast<unsigned>(std::bit_width(all));
    const auto head = static_cast<std::byte>(width);
    append(to, &head, 1);
    std::array<std::uint64_t, 17> words{};
    for (unsigned i = 0, bit = 0; i < block; ++i, bit += width) {
      const std::uint64_t step = steps[i];
      words[bit / 64] |= step << bit % 64;
      if (bit % 64 + width > 64) words[bit / 64 + 1] |= step >> (64 - bit % 64);
    }
    append(to, words.data(), 8 * width);
  }
}

void decode(const std::vector<std::byte>& from, std::int64_t count, std::uint16_t* to) {
  std::uint16_t last = 0;
  const std::byte* at = from.data();
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const auto now = std::min(block, count - begin);
    const auto width = static_cast<unsigned>(*at++);
    std::array<std::uint64_t, 17> words{};
    std::memcpy(words.data(), at, 8 * width);
    at += 8 * width;
    if (width == 0) {
      std::fill_n(to + begin, now, last);
      continue;
    }
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    for (unsigned i = 0, bit = 0; i < now; ++i, bit += width) {
      const auto shift = bit % 64;
      auto step = words[bit / 64] >> shift;
      if (shift + width > 64) step |= words[bit / 64 + 1] << (64 - shift);
      step &= mask;
      last = static_cast<std::uint16_t>(last + ((step >> 1) ^ (0 - (step & 1))));
      to[begin + i] = last;
    }
  }
}

template <class Visit>
void with_width(std::size_t bytes, const Visit& visit) {
  if (bytes == 1) return visit(std::uint8_t{});
  if (bytes == 2) return visit(std::uint16_t{});
  if (bytes == 4) return visit(std::uint32_t{});
  visit(std::uint64_t{});
}

/// Called with the file, the memory and an offset until all bytes are moved.
template <class Move, class Memory>
void move_all(const Move& move, int file, Memory memory, std::int64_t bytes, std::int64_t offset) {
  while (bytes > 0) {
    const auto moved = move(file, memory, static_cast<std::size_t>(bytes), offset);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0)
      throw io_error(std::string("work file: ") + (moved < 0 ? std::strerror(errno) : "ends early"));
    memory += moved;
    bytes -= moved;
    offset += moved;
  }
}

std::int64_t end_of(const image_region& of, std::size_t axis) { return of.first[axis] + of.size[axis]; }

}  // namespace

void coded_file::use::add(std::int64_t bytes) {
  const auto after = now += bytes;
  auto most = peak.load();
  while (after > most && !peak.compare_exchange_weak(most, after)) {
  }
}

coded_file::use& coded_file::all() {
  static use total;
  return total;
}

coded_file::coded_file(const std::filesystem::path& folder, std::size_t pixel_bytes)
    : pixel_bytes_(pixel_bytes) {
  auto name =
      ((folder.empty() ? std::filesystem::temp_directory_path() : folder) / ".macareu-work-XXXXXX").string();
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) throw io_error(name.substr(0, name.rfind('/')) + ": " + std::strerror(errno));
  ::unlink(name.c_str());
}

coded_file::~coded_file() {
  ::close(file_);
  all().add(-size_);
}

void coded_file::write(const image_region& where, const void* from) {
  const auto bytes = static_cast<std::int64_t>(pixel_bytes_);
  std::vector<std::byte> pixels;
  for (std::int64_t z = 0; z < where.size[0]; ++z)
    for (std::int64_t y = 0; y < where.size[1]; y += part_rows)
      for (std::int64_t x = 0; x < where.size[2]; x += part_columns) {
        part one{.where = {
                     {where.first[0] + z, where.first[1] + y, where.first[2] + x},
                     {1, std::min(part_rows, where.size[1] - y), std::min(part_columns, where.size[2] - x)}}};
        const auto width = one.where.size[2] * bytes;
        pixels.resize(static_cast<std::size_t>(one.where.size[1] * width));
        for (std::int64_t row = 0; row < one.where.size[1]; ++row)
          std::memcpy(pixels.data() + row * width,
                      static_cast<const std::byte*>(from) +
                          ((z * where.size[1] + y + row) * where.size[2] + x) * bytes,
                      static_cast<std::size_t>(width));
        coded_.clear();
        with_width(pixel_bytes_, [&]<class T>(T) {
          code(reinterpret_cast<const T*>(pixels.data()), one.where.pixels(), coded_);
        });
        put(one);
      }
}

void coded_file::put(part one) {
  one.bytes = one.room = static_cast<std::int64_t>(coded_.size());
  const std::lock_guard lock(guard_);
  auto& place = parts_[one.where.first];
  if (place.room >= one.bytes) {
    one.offset = place.offset;
    one.room = place.room;
  } else {
    one.offset = size_;
    size_ += one.bytes;
    all().add(one.bytes);
  }
  move_all(::pwrite, file_, static_cast<const std::byte*>(coded_.data()), one.bytes, one.offset);
  place = one;
}

void coded_file::read(const image_region& where, void* to) const {
  std::vector<part> found;
  {
    const std::lock_guard lock(guard_);
    for (auto it = parts_.lower_bound({where.first[0], where.first[1] - part_rows + 1, 0});
         it != parts_.end() && it->second.where.first[0] < end_of(where, 0); ++it) {
      const auto& own = it->second.where;
      if (own.first[0] == end_of(where, 0) - 1 && own.first[1] >= end_of(where, 1)) break;
      if (own.first[1] < end_of(where, 1) && end_of(own, 1) > where.first[1] &&
          own.first[2] < end_of(where, 2) && end_of(own, 2) > where.first[2])
        found.push_back(it->second);
    }
  }
  const auto bytes = static_cast<std::int64_t>(pixel_bytes_);
  std::vector<std::byte> coded, pixels;
  for (const auto& one : found) {
    const auto& own = one.where;
    const auto top = std::max(where.first[1], own.first[1]), left = std::max(where.first[2], own.first[2]);
    const auto bottom = std::min(end_of(where, 1), end_of(own, 1)),
               right = std::min(end_of(where, 2), end_of(own, 2));
    coded.resize(static_cast<std::size_t>(one.bytes));
    move_all(::pread, file_, coded.data(), one.bytes, one.offset);
    pixels.resize(static_cast<std::size_t>(own.pixels() * bytes));
    with_width(pixel_bytes_,
               [&]<class T>(T) { decode(coded, own.pixels(), reinterpret_cast<T*>(pixels.data())); });
    const auto slice = (own.first[0] - where.first[0]) * where.size[1];
    for (auto y = top; y < bottom; ++y)
      std::memcpy(static_cast<std::byte*>(to) +
                      ((slice + y - where.first[1]) * where.size[2] + left - where.first[2]) * bytes,
                  pixels.data() + ((y - own.first[1]) * own.size[2] + left - own.first[2]) * bytes,
                  static_cast<std::size_t>((right - left) * bytes));
  }
}

}  // namespace macareu

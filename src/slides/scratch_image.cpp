#include "slides/scratch_image.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <macareu/error.hpp>

namespace macareu::slides {
namespace {

constexpr std::int64_t rows_of_part = 64;

/// Tokens of u32: the number of pixels, and in the lowest bit whether one pixel stands for all.
template <class T>
void code(const T* from, std::int64_t count, std::vector<std::byte>& to) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  constexpr std::int64_t worth = 8 / sizeof(T) + 1;  // shorter runs take more bytes than they save
  const auto put = [&](std::int64_t first, std::int64_t end, bool run) {
    while (first < end) {
      const auto length = std::min(end - first, most);
      const auto token = static_cast<std::uint32_t>(length << 1 | run);
      const auto values = run ? 1 : length;
      const auto at = to.size();
      to.resize(at + sizeof token + static_cast<std::size_t>(values) * sizeof(T));
      std::memcpy(to.data() + at, &token, sizeof token);
      std::memcpy(to.data() + at + sizeof token, from + first, static_cast<std::size_t>(values) * sizeof(T));
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
void decode(const std::vector<std::byte>& from, T* to) {
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

template <class Visit>
void with_width(std::size_t bytes, const Visit& visit) {
  if (bytes == 1) return visit(std::uint8_t{});
  if (bytes == 2) return visit(std::uint16_t{});
  visit(std::uint32_t{});
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

}  // namespace

scratch_image::scratch_image(const source_form& form, const std::filesystem::path& folder,
                             std::function<void(std::int64_t)> told)
    : form_(form), told_(std::move(told)) {
  auto name =
      ((folder.empty() ? std::filesystem::temp_directory_path() : folder) / ".macareu-step-XXXXXX").string();
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) throw io_error(name.substr(0, name.rfind('/')) + ": " + std::strerror(errno));
  ::unlink(name.c_str());
}

scratch_image::~scratch_image() {
  ::close(file_);
  told_(-size_);
}

void scratch_image::write(const image_region& to, const void* from) {
  const auto bytes = static_cast<std::int64_t>(size_of(form_.type));
  const auto* first = static_cast<const std::byte*>(from);
  for (std::int64_t row = 0; row < to.size[1]; row += rows_of_part) {
    part one{to, size_, 0};
    one.where.first[1] += row;
    one.where.size[1] = std::min(rows_of_part, to.size[1] - row);
    coded_.clear();
    with_width(static_cast<std::size_t>(bytes),
               [&]<class T>(T) { code(reinterpret_cast<const T*>(first), one.where.pixels(), coded_); });
    one.bytes = static_cast<std::int64_t>(coded_.size());
    move_all(::pwrite, file_, static_cast<const std::byte*>(coded_.data()), one.bytes, size_);
    told_(one.bytes);
    size_ += one.bytes;
    first += one.where.pixels() * bytes;
    parts_.push_back(one);
  }
}

void scratch_image::read(const image_region& from, void* to) {
  const auto bytes = static_cast<std::int64_t>(size_of(form_.type));
  const auto end = [](const image_region& of, std::size_t axis) { return of.first[axis] + of.size[axis]; };
  for (const auto& one : parts_) {
    const auto top = std::max(from.first[1], one.where.first[1]),
               left = std::max(from.first[2], one.where.first[2]);
    const auto bottom = std::min(end(from, 1), end(one.where, 1)),
               right = std::min(end(from, 2), end(one.where, 2));
    if (top >= bottom || left >= right) continue;
    coded_.resize(static_cast<std::size_t>(one.bytes));
    move_all(::pread, file_, coded_.data(), one.bytes, one.offset);
    pixels_.resize(static_cast<std::size_t>(one.where.pixels() * bytes));
    with_width(static_cast<std::size_t>(bytes),
               [&]<class T>(T) { decode(coded_, reinterpret_cast<T*>(pixels_.data())); });
    for (auto y = top; y < bottom; ++y)
      std::memcpy(
          static_cast<std::byte*>(to) + ((y - from.first[1]) * from.size[2] + left - from.first[2]) * bytes,
          pixels_.data() + ((y - one.where.first[1]) * one.where.size[2] + left - one.where.first[2]) * bytes,
          static_cast<std::size_t>((right - left) * bytes));
  }
}

}  // namespace macareu::slides

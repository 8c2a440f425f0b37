#include "core/coding/pixel_code.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/ceil_div.hpp"

namespace macareu {
namespace {

/// Bytes that are written one after another, into memory that has room for all of them.
class byte_writer {
 public:
  explicit byte_writer(std::byte* to) : at_(to) {}
  void put(const void* from, std::size_t bytes) {
    std::memcpy(at_, from, bytes);
    at_ += bytes;
  }
  const std::byte* end() const { return at_; }

 private:
  std::byte* at_;
};

/// Tokens of u32: the number of pixels, and in the lowest bit whether one pixel stands for all.
template <class T>
void code(const T* from, std::int64_t count, std::int64_t, std::vector<std::byte>& to) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  constexpr std::int64_t worth = 8 / sizeof(T) + 1;  // shorter runs take more bytes than they save
  // A run takes no more bytes than its pixels and the token of those before it.
  to.resize(static_cast<std::size_t>(count) * sizeof(T) + 2 * sizeof(std::uint32_t));
  byte_writer out(to.data());
  const auto put = [&](std::int64_t first, std::int64_t end, bool run) {
    while (first < end) {
      const auto length = std::min(end - first, most);
      const auto token = static_cast<std::uint32_t>(length << 1 | run);
      out.put(&token, sizeof token);
      out.put(from + first, static_cast<std::size_t>(run ? 1 : length) * sizeof(T));
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
  to.resize(static_cast<std::size_t>(out.end() - to.data()));
}

template <class T>
void decode(const std::vector<std::byte>& from, std::int64_t, std::int64_t columns, std::int64_t pitch,
            T* row) {
  std::int64_t column = 0;
  /// write(to, count) for the parts of a run that lie in one row.
  const auto in_rows = [&](std::int64_t length, const auto& write) {
    while (length > 0) {
      const auto now = std::min(length, columns - column);
      write(row + column, now);
      length -= now;
      column += now;
      if (column < columns) return;
      column = 0;
      row += pitch;
    }
  };
  for (std::size_t at = 0; at < from.size();) {
    std::uint32_t token;
    std::memcpy(&token, from.data() + at, sizeof token);
    at += sizeof token;
    const auto length = static_cast<std::int64_t>(token >> 1);
    if (token & 1) {
      T value;
      std::memcpy(&value, from.data() + at, sizeof value);
      at += sizeof value;
      in_rows(length, [&](T* to, std::int64_t count) { std::fill_n(to, count, value); });
    } else {
      in_rows(length, [&](T* to, std::int64_t count) {
        const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
        std::memcpy(to, from.data() + at, bytes);
        at += bytes;
      });
    }
  }
}

/// Pixels of 16 bits: differences to the pixels above, in blocks. A block has the number of bits of its
/// largest difference, then as many bits of each. Its pixels are dealt to lanes, each of which fills words of
/// its own, because vectors of lanes are packed at once.
constexpr std::int64_t lanes = 4, in_lane = 16, block = lanes * in_lane;
using block_pixels = std::array<std::uint16_t, block>;
constexpr std::size_t whole_width = 16;  // stored as they are

template <unsigned Width>
void pack(const block_pixels& from, block_pixels& words) {
  words = {};
#pragma GCC unroll 16
  for (unsigned k = 0; k < in_lane; ++k) {
    const unsigned word = k * Width / 16, shift = k * Width % 16;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const unsigned value = from[k * lanes + lane];
      words[word * lanes + lane] |= static_cast<std::uint16_t>(value << shift);
      if (shift + Width > 16)
        words[(word + 1) * lanes + lane] |= static_cast<std::uint16_t>(value >> (16 - shift));
    }
  }
}

template <unsigned Width>
void unpack(const block_pixels& words, block_pixels& to) {
  constexpr unsigned mask = (1U << Width) - 1;
#pragma GCC unroll 16
  for (unsigned k = 0; k < in_lane; ++k) {
    const unsigned word = k * Width / 16, shift = k * Width % 16;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      unsigned value = static_cast<unsigned>(words[word * lanes + lane]) >> shift;
      if (shift + Width > 16)
        value |= static_cast<unsigned>(words[(word + 1) * lanes + lane]) << (16 - shift);
      to[k * lanes + lane] = static_cast<std::uint16_t>(value & mask);
    }
  }
}

using packing = void (*)(const block_pixels&, block_pixels&);
template <std::size_t... Width>
constexpr std::array<packing, whole_width> all_pack(std::index_sequence<Width...>) {
  return {&pack<Width>...};
}
template <std::size_t... Width>
constexpr std::array<packing, whole_width> all_unpack(std::index_sequence<Width...>) {
  return {&unpack<Width>...};
}
constexpr auto packs = all_pack(std::make_index_sequence<whole_width>{}),
               unpacks = all_unpack(std::make_index_sequence<whole_width>{});

/// The pixels of a block that have none above.
std::int64_t in_first_row(std::int64_t begin, std::int64_t pixels, std::int64_t columns) {
  return std::clamp(columns - begin, std::int64_t{0}, pixels);
}

void code(const std::uint16_t* from, std::int64_t count, std::int64_t columns, std::vector<std::byte>& to) {
  to.resize(static_cast<std::size_t>(ceil_div(count, block)) * (1 + sizeof(block_pixels)));
  byte_writer out(to.data());
  block_pixels steps{}, words{};
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const auto now = std::min(block, count - begin), first = in_first_row(begin, now, columns);
    const auto* const pixels = from + begin;
    steps = {};
    std::copy_n(pixels, first, steps.begin());
    for (std::int64_t i = first; i < now; ++i)
      steps[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(pixels[i] - pixels[i - columns]);
    std::uint16_t all = 0;
    for (auto& step : steps) {
      const auto difference = static_cast<std::int16_t>(step);
      // Small differences of both signs have few bits.
      step = static_cast<std::uint16_t>((difference << 1) ^ (difference >> 15));
      all |= step;
    }
    const auto width = static_cast<std::size_t>(std::bit_width(all));
    const auto head = static_cast<std::byte>(width);
    out.put(&head, 1);
    if (width < whole_width) packs[width](steps, words);
    out.put((width < whole_width ? words : steps).data(), width * lanes * sizeof(std::uint16_t));
  }
  to.resize(static_cast<std::size_t>(out.end() - to.data()));
}

/// Rows without gaps, or of whole blocks.
void decode_blocks(const std::vector<std::byte>& from, std::int64_t count, std::int64_t columns,
                   std::int64_t pitch, std::uint16_t* to) {
  const std::byte* at = from.data();
  block_pixels steps{}, words{};
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const auto now = std::min(block, count - begin), first = in_first_row(begin, now, columns);
    const auto width = static_cast<std::size_t>(*at++);
    const auto bytes = width * lanes * sizeof(std::uint16_t);
    std::memcpy(words.data(), at, bytes);
    at += bytes;
    if (width < whole_width)
      unpacks[width](words, steps);
    else
      steps = words;
    for (auto& step : steps) step = static_cast<std::uint16_t>((step >> 1) ^ (0U - (step & 1U)));
    auto* const pixels = to + begin / columns * pitch + begin % columns;
    std::copy_n(steps.begin(), first, pixels);
    for (std::int64_t i = first; i < now; ++i)
      pixels[i] = static_cast<std::uint16_t>(pixels[i - pitch] + steps[static_cast<std::size_t>(i)]);
  }
}

void decode(const std::vector<std::byte>& from, std::int64_t count, std::int64_t columns, std::int64_t pitch,
            std::uint16_t* to) {
  if (columns == pitch || columns % block == 0) return decode_blocks(from, count, columns, pitch, to);
  std::vector<std::uint16_t> packed(static_cast<std::size_t>(count));
  decode_blocks(from, count, columns, columns, packed.data());
  for (std::int64_t i = 0; i < count; i += columns, to += pitch)
    std::copy_n(packed.begin() + i, std::min(columns, count - i), to);
}

template <class Visit>
void with_width(std::size_t bytes, const Visit& visit) {
  if (bytes == 1) return visit(std::uint8_t{});
  if (bytes == 2) return visit(std::uint16_t{});
  if (bytes == 4) return visit(std::uint32_t{});
  visit(std::uint64_t{});
}

}  // namespace

void code_pixels(const std::byte* from, std::size_t pixel_bytes, std::int64_t count, std::int64_t columns,
                 std::vector<std::byte>& to) {
  with_width(pixel_bytes, [&]<class T>(T) { code(reinterpret_cast<const T*>(from), count, columns, to); });
}

void decode_pixels(const std::vector<std::byte>& from, std::size_t pixel_bytes, std::int64_t count,
                   std::int64_t columns, std::int64_t pitch, std::byte* to) {
  with_width(pixel_bytes, [&]<class T>(T) { decode(from, count, columns, pitch, reinterpret_cast<T*>(to)); });
}

}  // namespace macareu

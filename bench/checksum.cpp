#include "checksum.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include <macareu/error.hpp>

#include "workers.hpp"

namespace macareu::bench {
namespace {

template <class T>
std::int64_t sum_of(const std::byte* row, std::int64_t width) {
  const auto* const pixels = reinterpret_cast<const T*>(row);
  std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t> sum = 0;
  for (std::int64_t x = 0; x < width; ++x) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isinf(pixels[x])) continue;
    sum += pixels[x];
  }
  return static_cast<std::int64_t>(sum);
}

using row_sum = std::int64_t (*)(const std::byte*, std::int64_t);

row_sum sum_for(dtype type) {
  switch (type) {
    case dtype::boolean:
      return sum_of<bool>;
    case dtype::u8:
      return sum_of<std::uint8_t>;
    case dtype::u16:
      return sum_of<std::uint16_t>;
    case dtype::u32:
      return sum_of<std::uint32_t>;
    case dtype::i64:
      return sum_of<std::int64_t>;
    case dtype::f32:
      return sum_of<float>;
    case dtype::f64:
      return sum_of<double>;
    default:
      throw internal_error("bench: no checksum for pixels of " + std::string(name_of(type)));
  }
}

/// FNV-1a on words of 8 bytes instead of single bytes. The mixer of MurmurHash3 ends it, because row hashes
/// are added.
std::uint64_t hash_of(const std::byte* row, std::size_t bytes, std::int64_t number) {
  constexpr std::uint64_t prime = 0x100000001b3;
  auto hash = 0xcbf29ce484222325 ^ static_cast<std::uint64_t>(number);
  for (std::size_t at = 0; at < bytes; at += sizeof(hash)) {
    std::uint64_t word = 0;
    std::memcpy(&word, row + at, std::min(sizeof(word), bytes - at));
    hash = (hash ^ word) * prime;
  }
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
  return hash ^ hash >> 33;
}

}  // namespace

checksum checksum_of(std::span<const std::byte> rows, dtype type, std::int64_t width,
                     std::int64_t first_row) {
  const auto row_bytes = static_cast<std::size_t>(width) * size_of(type);
  if (row_bytes == 0) return {};
  const auto sum = sum_for(type);
  std::int64_t total = 0;
  std::uint64_t hash = 0;
  const auto count = static_cast<std::int64_t>(rows.size() / row_bytes);
#pragma omp parallel for num_threads(workers()) reduction(+ : total, hash)
  for (std::int64_t y = 0; y < count; ++y) {
    const auto* const row = rows.data() + static_cast<std::size_t>(y) * row_bytes;
    total += sum(row, width);
    hash += hash_of(row, row_bytes, first_row + y);
  }
  return {total, hash};
}

checksum checksum_of(const image& pixels) {
  return checksum_of({static_cast<const std::byte*>(pixels.data()), pixels.bytes()}, pixels.type(),
                     pixels.shape().width(), 0);
}

}  // namespace macareu::bench

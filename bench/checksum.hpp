// Checksums that decide whether two results are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <macareu/image.hpp>

namespace macareu::bench {

/// Any program can compute the sum. The hash depends on every bit and its position. Rows add up, so an image
/// may come in pieces and in any order.
struct checksum {
  std::int64_t sum = 0;
  std::uint64_t hash = 0;

  checksum& operator+=(const checksum& other) {
    sum += other.sum;
    hash += other.hash;
    return *this;
  }
  bool operator==(const checksum&) const = default;
};

/// Checksum of whole rows in C order. `first_row`: the index of the first row, counted across slices. For
/// floats the sum skips infinities, and each row's sum is truncated to an integer.
checksum checksum_of(std::span<const std::byte> rows, dtype type, std::int64_t width, std::int64_t first_row);

checksum checksum_of(const image& pixels);

}  // namespace macareu::bench

// What two results must share to be taken for equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <macareu/image.hpp>

namespace macareu::bench {

/// The sum tells a reader what it is and can be had from any program; the hash sees every bit and where it
/// stands. Rows add up, so an image may be given in pieces and in any order.
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

/// Of whole rows in C order; the first of them is row number `first_row` of the image, counted through its
/// slices. Of floats the sum leaves out infinities, and every row's part is cut to a whole number.
checksum checksum_of(std::span<const std::byte> rows, dtype type, std::int64_t width, std::int64_t first_row);

checksum checksum_of(const image& pixels);

}  // namespace macareu::bench

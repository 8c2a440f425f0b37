// Numbers of parameters as the bits of pixels of a type known at run time: what only compares or writes
// pixels is compiled once for each size.
#pragma once

#include <cstdint>
#include <optional>

#include <macareu/image.hpp>
#include <macareu/number.hpp>

namespace macareu {

/// Of the nearest pixel. A bool is 1 unless the number is 0.
std::uint64_t pixel_bits(const number& value, dtype type);

struct bit_interval {
  std::uint64_t low, high;
};
/// The least pixel from `low` on and the greatest up to `high`, where NaN is no bound; none where no pixel
/// lies between.
std::optional<bit_interval> interval_bits(const number& low, const number& high, dtype type);

}  // namespace macareu

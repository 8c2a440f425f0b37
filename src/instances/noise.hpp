// Value noise: random numbers on a lattice with cells of 2^k pixels. Between lattice points it interpolates
// by the smooth step s(t) = t^2 (3 - 2 t) along each axis, all in fixed point.
#pragma once

#include <algorithm>
#include <cstdint>

#include "instances/hash.hpp"

namespace macareu::formula {

/// 2^15 s(t) at t = (position mod 2^shift) / 2^shift. Every step fits 32 bits, so loops over it vectorise.
constexpr std::int32_t smooth_step(std::uint32_t position, int shift) {
  const auto t = ((position & ((1u << shift) - 1)) << 15) >> shift;
  return static_cast<std::int32_t>(((t * t >> 15) * (3 * 32768 - 2 * t)) >> 15);
}

/// Interpolates from a to b (16 bits each) with a weight of 0 to 2^15.
constexpr std::int32_t between(std::int32_t a, std::int32_t b, std::int32_t weight) {
  return a + ((b - a) * weight >> 15);
}

/// One octave in cells of 2^shift_y x 2^shift_x, at a point: 0..65535.
constexpr std::int32_t noise_at(lattice points, int shift_y, int shift_x, std::uint32_t y, std::uint32_t x) {
  const auto row = y >> shift_y, column = x >> shift_x;
  const auto down = smooth_step(y, shift_y);
  return between(between(points(0, row, column), points(0, row + 1, column), down),
                 between(points(0, row, column + 1), points(0, row + 1, column + 1), down),
                 smooth_step(x, shift_x));
}

/// Rows are drawn in segments that start at multiples of this, where cells of all octaves start.
inline constexpr std::int64_t segment = 1024;

/// Adds scale times the noise at `width` pixels of a row to `sum`, in cells of 2^shift along every axis. The
/// lattice is read once per cell, not per pixel.
inline void add_noise(lattice points, int shift, std::int32_t scale, std::int64_t z, std::int64_t y,
                      std::int64_t x, std::int64_t width, std::int32_t* sum) {
  const auto plane = static_cast<std::uint32_t>(z) >> shift, row = static_cast<std::uint32_t>(y) >> shift;
  const auto behind = smooth_step(static_cast<std::uint32_t>(z), shift);
  const auto down = smooth_step(static_cast<std::uint32_t>(y), shift);
  const auto value_at = [&](std::int64_t column) {
    const auto at = static_cast<std::uint32_t>(column);
    return between(between(points(plane, row, at), points(plane, row + 1, at), down),
                   between(points(plane + 1, row, at), points(plane + 1, row + 1, at), down), behind);
  };
  auto left = value_at(x >> shift);
  for (std::int64_t first = 0; first < width;) {
    const auto column = (x + first) >> shift;
    const auto right = value_at(column + 1);
    const auto end = std::min(width, ((column + 1) << shift) - x);
    for (; first < end; ++first)
      sum[first] += scale * between(left, right, smooth_step(static_cast<std::uint32_t>(x + first), shift));
    left = right;
  }
}

}  // namespace macareu::formula

// Sums of floats that do not depend on their order. Every value is rounded to a multiple of one power of two,
// and the multiples are added as 128-bit integers. For N values of at most m in magnitude, that power is
// below 2 m N / 2^126. A sum is off by less than m N^2 / 2^126 before it is rounded to f64.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/call.hpp"
#include "patterns/summary.hpp"

namespace macareu {

/// value / 2^exponent, rounded to the nearest integer, halves away from zero. The result must fit.
MACAREU_HD inline int128 in_units(double value, int exponent) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) mantissa |= std::uint64_t{1} << 52;
  const int shift = (biased == 0 ? 1 : biased) - 1075 - exponent;
  int128 units = 0;
  if (shift >= 0)
    units = static_cast<int128>(mantissa) << shift;
  else if (shift >= -54)
    units = static_cast<int128>((mantissa + (std::uint64_t{1} << (-shift - 1))) >> -shift);
  return bits >> 63 ? -units : units;
}

/// Exponent of the unit in which `count` values of at most `magnitude` can be added.
inline int unit_for(double magnitude, std::int64_t count) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(count));
  return magnitude == 0 ? 0 : std::ilogb(magnitude) + 1 + static_cast<int>(bits) - 126;
}

struct sum_in_units {
  using value = int128;
  int exponent;

  MACAREU_HD value identity() const { return 0; }
  template <class T>
  MACAREU_HD value lift(site, T pixel) const {
    return in_units(static_cast<double>(pixel), exponent);
  }
  MACAREU_HD value join(value a, value b) const { return a + b; }
};

/// Squares of the distance from `middle`.
struct squares_in_units {
  using value = int128;
  double middle;
  int exponent;

  MACAREU_HD value identity() const { return 0; }
  template <class T>
  MACAREU_HD value lift(site, T pixel) const {
    const double apart = static_cast<double>(pixel) - middle;
    return in_units(apart * apart, exponent);
  }
  MACAREU_HD value join(value a, value b) const { return a + b; }
};

inline double from_units(int128 units, int exponent) {
  return std::ldexp(static_cast<double>(units), exponent);
}

/// Pixels must be finite and between low and high.
template <class Image, class Engine>
double exact_sum(Engine& engine, const Image& image, double low, double high) {
  const int unit = unit_for(std::max(std::abs(low), std::abs(high)), image.whole().pixels());
  return from_units(engine.reduce(sum_in_units{unit}, image), unit);
}

template <class Image, class Engine>
double variance_about(Engine& engine, const Image& image, double mean, double low, double high) {
  const double furthest = std::max(high - mean, mean - low);
  if (!std::isfinite(furthest * furthest)) return std::numeric_limits<double>::infinity();
  const int unit = unit_for(furthest * furthest, image.whole().pixels());
  return from_units(engine.reduce(squares_in_units{mean, unit}, image), unit) /
         static_cast<double>(image.whole().pixels());
}

/// For integers, from exact sums. Squares about the integer nearest to the mean are exact. The square of the
/// remaining distance is subtracted.
inline double variance_from(int128 sum, uint128 squares, std::int64_t count) {
  const int128 n = count;
  const int128 twice = 2 * sum + n;
  int128 middle = twice / (2 * n);
  if (twice % (2 * n) < 0) --middle;  // rounded down
  const auto m = static_cast<uint128>(middle);
  const uint128 about = squares - 2 * m * static_cast<uint128>(sum) + static_cast<uint128>(n) * m * m;
  const double rest = static_cast<double>(sum - n * middle);
  return (static_cast<double>(about) - rest * rest / static_cast<double>(count)) / static_cast<double>(count);
}

}  // namespace macareu

// The natural logarithm from +, -, * and / alone, so that every processor and engine gives the same bits; C
// libraries differ.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "core/macros.hpp"

namespace macareu {

/// The error is below 1 unit in the last place. NaN below 0, -infinity at 0.
MACAREU_HD inline double logarithm(double x) {
  using limits = std::numeric_limits<double>;
  if (!(x > 0)) return x == 0 ? -limits::infinity() : limits::quiet_NaN();
  if (x == limits::infinity()) return x;
  int exponent = 0;
  if (x < limits::min()) x *= 0x1p54, exponent = -54;
  // x = 2^exponent (1 + f) with 1 + f from about sqrt(1/2) to sqrt(2); f is exact.
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  const auto bits = std::bit_cast<std::uint64_t>(x) - root_half;
  const auto shift = static_cast<std::int64_t>(bits) >> 52;
  exponent += static_cast<int>(shift);
  const double f = std::bit_cast<double>((bits & 0x000fffffffffffff) + root_half) - 1;
  // log(1 + f) = 2 atanh(s) = f - (f^2 / 2 - s (f^2 / 2 + rest)), where rest = 2 s^2 / 3 + 2 s^4 / 5 + ...
  const double s = f / (2 + f), square = s * s, half = 0.5 * f * f;
  double rest = 0;
  for (int n = 25; n > 1; n -= 2) rest = square * (2.0 / n + rest);
  // k times the first part of ln 2 is exact, as its last bits are 0.
  constexpr double ln2[] = {0x1.62e42feep-1, 0x1.a39ef35793c76p-33};
  const double k = exponent;
  return k * ln2[0] - ((half - (s * (half + rest) + k * ln2[1])) - f);
}

}  // namespace macareu

// The exponential function, with the same bits on every processor. exp of the C library depends on whether
// the processor has a fused multiply-add.
#pragma once

#include <cmath>

namespace macareu {

/// Within 0.501 units in the last place for normal results. Some ten times slower than the C library, which
/// does not matter for the few weights of a kernel.
inline double exponential(double x) {
  if (std::isnan(x)) return x;
  if (x > 710) return HUGE_VAL;
  if (x < -746) return 0;
  // ln 2 in three parts: k times the first is exact, as its last 11 bits are 0.
  constexpr double ln2[] = {0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45, 0x1.f97b57a079a19p-103};
  constexpr int halvings = 8;
  const double k = std::nearbyint(x / (ln2[0] + ln2[1]));
  // r + of_r = (x - k ln 2) / 2^halvings, at most 0.0014; the pair keeps the rounding error.
  const double first = x - k * ln2[0], product = k * ln2[1],
               of_product = std::fma(k, ln2[1], -product) + k * ln2[2];
  double r = first - product, of_r = (first - r) - product - of_product;
  r = std::ldexp(r, -halvings), of_r = std::ldexp(of_r, -halvings);
  // exp(r) - 1 = r + r^2 / 2 + rest; the omitted terms are below 2^-100.
  const double square = r * r, of_square = std::fma(r, r, -square) + 2 * r * of_r;
  double rest = 0;
  for (int n = 9; n >= 3; --n) rest = (1 + rest) * r / n;
  const double curve = square / 2 + rest * (square / 2);
  const double of_curve = ((square / 2 - curve) + rest * (square / 2)) + of_square / 2;
  double sum = r + curve, of_sum = ((r - sum) + curve) + (of_r + of_curve);
  // exp(2 r) - 1 = (exp(r) - 1)^2 + 2 (exp(r) - 1)
  for (int i = 0; i < halvings; ++i) {
    const double twice = 2 * sum, s = sum * sum, of_s = std::fma(sum, sum, -s) + 2 * sum * of_sum;
    const double next = twice + s;
    of_sum = ((twice - next) + s) + (2 * of_sum + of_s);
    sum = next;
  }
  const double whole = 1 + sum;
  return std::ldexp(whole + (((1 - whole) + sum) + of_sum), static_cast<int>(k));
}

}  // namespace macareu

#include "operators/edges/discrete_gaussian.hpp"

#include <cmath>
#include <initializer_list>

#include "operators/common/exponential.hpp"

namespace macareu {
namespace {

/// c[0] + c[1] x + ... by Horner's rule.
double polynomial(double x, std::initializer_list<double> coefficients) {
  double sum = 0;
  bool first = true;
  for (auto c = coefficients.end(); c-- != coefficients.begin(); first = false)
    sum = first ? *c : *c + x * sum;
  return sum;
}

// The modified Bessel functions of orders 0 and 1, not below 0: Abramowitz and Stegun 9.8.1 to 9.8.4.
constexpr double split = 3.75;

double bessel_0(double x) {
  if (x < split) {
    const double t = x / split;
    return polynomial(t * t, {1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813});
  }
  return exponential(x) / std::sqrt(x) *
         polynomial(split / x, {0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706,
                                0.02635537, -0.01647633, 0.00392377});
}

double bessel_1(double x) {
  if (x < split) {
    const double t = x / split;
    return x *
           polynomial(t * t, {0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411});
  }
  return polynomial(split / x, {0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967,
                                -0.02895312, 0.01787654, -0.00420059}) *
         (exponential(x) / std::sqrt(x));
}

/// Order n > 1, by Miller's backward recurrence, scaled by order 0.
double bessel(int n, double x) {
  if (x == 0) return 0;
  constexpr double accuracy = 40, large = 1e10;
  const double step = 2.0 / x;
  double above = 0, here = 1, wanted = 0;
  for (int k = 2 * (n + static_cast<int>(std::sqrt(accuracy * n))); k > 0; --k) {
    const double below = above + k * step * here;
    above = here;
    here = below;
    if (std::fabs(here) > large) {
      wanted *= 1 / large;
      here *= 1 / large;
      above *= 1 / large;
    }
    if (k == n) wanted = above;
  }
  return wanted * (bessel_0(x) / here);
}

}  // namespace

std::vector<double> discrete_gaussian(double variance, double maximum_error) {
  constexpr std::size_t most = 32;
  const double scale = exponential(-variance);
  std::vector<double> half{scale * bessel_0(variance), scale * bessel_1(variance)};
  double sum = half[0] + half[1] * 2.0;
  for (int k = 2; sum < 1.0 - maximum_error; ++k) {
    half.push_back(scale * bessel(k, variance));
    sum += half.back() * 2.0;
    if (half.back() <= 0 || half.size() > most) break;
  }
  for (auto& weight : half) weight /= sum;
  return half;
}

}  // namespace macareu

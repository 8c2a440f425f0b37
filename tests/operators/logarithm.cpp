// The logarithm against the C library's in long double: the error that the header states.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "operators/common/logarithm.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

double units_off(double x) {
  const long double exact = std::log(static_cast<long double>(x));
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  return static_cast<double>(std::abs(static_cast<long double>(logarithm(x)) - exact) /
                             std::ldexp(1.0L, exponent - 53));
}

TEST(logarithm, is_within_one_unit_in_the_last_place) {
  dice from(seed_of("logarithm"));
  for (int i = 0; i < 200'000; ++i) {
    const double any = std::bit_cast<double>(from.next() >> 1);
    if (std::isfinite(any) && any > 0 && any != 1) {
      ASSERT_LT(units_off(any), 1) << any;
    }
    const double near_one = 1 + std::ldexp(static_cast<double>(from.between(-1'000'000, 1'000'000)), -21);
    if (near_one != 1) {
      ASSERT_LT(units_off(near_one), 1) << near_one;
    }
  }
  for (int v = 1; v < 255; ++v) EXPECT_LT(units_off(v / 255.0), 1) << v;
}

TEST(logarithm, of_special_numbers) {
  using limits = std::numeric_limits<double>;
  EXPECT_EQ(logarithm(1), 0);
  EXPECT_EQ(logarithm(0), -limits::infinity());
  EXPECT_EQ(logarithm(limits::infinity()), limits::infinity());
  EXPECT_LT(units_off(limits::denorm_min()), 1);
  EXPECT_TRUE(std::isnan(logarithm(-1)));
  EXPECT_TRUE(std::isnan(logarithm(limits::quiet_NaN())));
}

}  // namespace
}  // namespace macareu::test

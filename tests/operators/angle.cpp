// angle_of: its stated error against long double, its bits, and its axes.
#include "operators/common/angle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "support/dice.hpp"

namespace macareu::test {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the oracle needs more digits than f64");

/// visit(y, x) for points of all directions and sizes, near to the axes too, and whole ones.
template <class Visit>
void for_points(std::int64_t count, Visit visit) {
  dice from(seed_of("angle"));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto part = [&] {
      const double whole = static_cast<double>(from.between(-1000, 1000));
      if (from.once_in(4)) return whole;
      const auto digits = static_cast<double>(static_cast<std::int64_t>(from.next()) >> 10);
      return std::ldexp(digits, static_cast<int>(from.between(-60, 0)));
    };
    const double y = part(), x = part();
    if (y != 0 || x != 0) visit(y, x);
  }
}

TEST(angle, is_within_its_bound) {
  long double worst = 0;
  for_points(500000, [&](double y, double x) {
    const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
    worst = std::max(worst, std::abs(static_cast<long double>(angle_of(y, x)) - exact));
  });
  EXPECT_LT(worst, 7e-16L);
  EXPECT_GT(worst, 0x1p-53L) << "the oracle sees more than f64";
}

TEST(angle, of_axes_and_extremes) {
  constexpr double pi = std::numbers::pi;
  using limits = std::numeric_limits<double>;
  EXPECT_EQ(angle_of(0, 0), 0);
  EXPECT_EQ(angle_of(0, 2), 0);
  EXPECT_EQ(angle_of(2, 0), pi / 2);
  EXPECT_EQ(angle_of(-2, 0), -pi / 2);
  EXPECT_EQ(angle_of(0, -2), pi);
  EXPECT_EQ(angle_of(-0.0, -2), pi) << "atan2 gives -pi";
  EXPECT_EQ(angle_of(limits::max(), limits::denorm_min()), pi / 2);
  EXPECT_EQ(angle_of(limits::denorm_min(), limits::max()), 0);
}

TEST(angle, bits_are_the_same_on_every_processor) {
  std::uint64_t hash = 0;
  for_points(100000, [&](double y, double x) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(angle_of(y, x))) * 0x100000001b3;
  });
  EXPECT_EQ(hash, 0xfa045d5dda10d4b7u);
}

}  // namespace
}  // namespace macareu::test

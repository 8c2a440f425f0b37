// exponential: its stated error against long double, its ends, and its bits.
#include "operators/common/exponential.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/dice.hpp"

namespace macareu::test {
namespace {

/// Exponents whose results are normal numbers: large ones, small ones, and those of a Gaussian's weights.
template <class Visit>
void for_numbers(std::int64_t count, Visit visit) {
  dice from(seed_of("exponential"));
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(from.next() >> 11) * 0x1p-53;
    const auto steps = static_cast<double>(from.below(40));
    switch (from.below(3)) {
      case 0:
        visit(-708 + 1417 * share);
        break;
      case 1:
        visit(2 * share - 1);
        break;
      default:
        visit(-0.5 / (0.1 + 10 * share) * steps);
    }
  }
}

TEST(exponential, is_within_its_bound) {
  for_numbers(200000, [](double x) {
    const long double power = std::exp(static_cast<long double>(x));
    const auto unit = std::ldexp(1.0L, std::ilogb(power) + 1 - std::numeric_limits<double>::digits);
    ASSERT_LE(std::fabs(exponential(x) - power) / unit, 0.501L) << x;
  });
}

TEST(exponential, known_answers) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(1), 0x1.5bf0a8b145769p+1);
  EXPECT_EQ(exponential(-745), 0x1p-1074);
  EXPECT_EQ(exponential(-infinity), 0);
  EXPECT_EQ(exponential(709.7), 0x1.d75ae7a50ee14p+1023);
  EXPECT_EQ(exponential(709.79), infinity);
  EXPECT_EQ(exponential(infinity), infinity);
  EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<double>::quiet_NaN())));
}

TEST(exponential, bits_are_the_same_on_every_processor) {
  std::uint64_t hash = 0;
  for_numbers(100000, [&](double x) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(exponential(x))) * 0x100000001b3;
  });
  EXPECT_EQ(hash, 0xa3fe7fab6d0850f7u);
}

}  // namespace
}  // namespace macareu::test

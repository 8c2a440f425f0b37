// cube_root: its stated error against long double, and its bits.
#include "operators/common/cube_root.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/dice.hpp"

namespace macareu::test {
namespace {

/// Numbers of all sizes, those without a full mantissa too, and whole ones.
template <class Visit>
void for_numbers(std::int64_t count, Visit visit) {
  dice from(seed_of("cube root"));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = from.next() & ~(std::uint64_t{1} << 63);
    const auto value = std::bit_cast<double>(bits);
    const auto whole = static_cast<double>(1 + (bits >> from.between(11, 62)));
    visit(from.once_in(2) && std::isfinite(value) ? value : whole);
  }
}

TEST(cube_root, is_within_its_bound) {
  for_numbers(200000, [](double x) {
    const long double root = std::cbrt(static_cast<long double>(x));
    const auto unit = std::ldexp(1.0L, std::ilogb(root) + 1 - std::numeric_limits<double>::digits);
    ASSERT_LE(std::fabs(cube_root(x) - root) / unit, 0.5001L) << x;
  });
}

TEST(cube_root, known_answers) {
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(cube_root(static_cast<double>(i * i * i)), i);
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cube_root(infinity), infinity);
  EXPECT_EQ(cube_root(0x1p-1074), 0x1p-358);
}

TEST(cube_root, bits_are_the_same_on_every_processor) {
  std::uint64_t hash = 0;
  for_numbers(100000,
              [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(cube_root(x))) * 0x100000001b3; });
  EXPECT_EQ(hash, 0xabd1322e46eb7577u);
}

}  // namespace
}  // namespace macareu::test

// What the formulas of the operators need from their map rules.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "operators/common/difference.hpp"
#include "operators/common/flood.hpp"
#include "operators/common/masks.hpp"
#include "operators/extrema/h_extrema.hpp"
#include "operators/extrema/regional_extrema.hpp"
#include "operators/reconstruction/from_border.hpp"
#include "patterns/map.hpp"
#include "support/dice.hpp"
#include "support/palettes.hpp"

namespace macareu::test {
namespace {

constexpr site origin{0, 0, 0};

template <class T>
class map_rules : public ::testing::Test {
 protected:
  T draw() { return from_.once_in(2) ? from_.pick(special_values<T>()) : any_value<T>(from_); }
  dice from_{seed_of("map_rules", sizeof(T))};
};
using pixel_types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(map_rules, pixel_types);

TYPED_TEST(map_rules, are_map_rules) {
  using T = TypeParam;
  static_assert(map_rule<as_given, T, T> && map_rule<nowhere, std::uint8_t> && map_rule<difference, T, T, T>);
  using key = key_of<T>;
  static_assert(map_rule<plateau_key<direction::down>, key, T> && map_rule<one_step_back, key, key>);
  static_assert(map_rule<stands_out, std::uint8_t, key, key>);
  static_assert(map_rule<shifted_by<direction::up, T>, T, T>);
  static_assert(map_rule<from_border<direction::down>, T, T>);
  EXPECT_EQ(nowhere{}(origin), 0);
  const T value = this->draw();
  EXPECT_EQ(to_key(as_given{}(origin, value)), to_key(value));
}

/// The next value of the type: nothing lies between, and only the end of the type stays. -0 counts as +0.
/// What precedes an infinity is no value, but lower.
TYPED_TEST(map_rules, one_step_back_is_the_next_value) {
  using T = TypeParam;
  for (auto n = scaled(20000); n > 0; --n) {
    const T value = this->draw();
    const T below = from_rising_key<direction::up, T>(
                one_step_back{}(origin, plateau_key<direction::up>{}(origin, value))),
            above = from_rising_key<direction::down, T>(
                one_step_back{}(origin, plateau_key<direction::down>{}(origin, value)));
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isinf(value)) continue;
      if (value == 0) {  // -0 is just below 0, and no value lies between
        EXPECT_TRUE(below == 0 && std::signbit(below));
      } else {
        EXPECT_EQ(below, std::nextafter(value, -std::numeric_limits<T>::infinity())) << value;
      }
      EXPECT_EQ(above, std::nextafter(value, std::numeric_limits<T>::infinity())) << value;
    } else {
      EXPECT_EQ(below, value == std::numeric_limits<T>::min() ? value : static_cast<T>(value - 1));
      EXPECT_EQ(above, value == std::numeric_limits<T>::max() ? value : static_cast<T>(value + 1));
    }
  }
}

/// Shifted values stay in the type, keep their order and never cross the value.
TYPED_TEST(map_rules, shifts_saturate_and_keep_order) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  for (auto n = scaled(20000); n > 0; --n) {
    const T a = this->draw(), b = this->draw();
    const T h = std::abs(static_cast<double>(a)) < 100 ? T{3} : limits::max();
    const shifted_by<direction::up, T> down{h, limits::max()};
    const shifted_by<direction::down, T> up{h, limits::max()};
    ASSERT_LE(down(origin, a), a);
    ASSERT_GE(up(origin, a), a);
    if (a <= b) {
      ASSERT_LE(down(origin, a), down(origin, b));
      ASSERT_LE(up(origin, a), up(origin, b));
    }
    if constexpr (std::is_integral_v<T>) {
      __extension__ using wide = __int128;
      ASSERT_EQ(down(origin, a), static_cast<T>(std::max<wide>(wide{a} - h, limits::min())));
      ASSERT_EQ(up(origin, a), static_cast<T>(std::min<wide>(wide{a} + h, limits::max())));
    }
  }
}

TYPED_TEST(map_rules, infinities_survive_an_infinite_shift) {
  using limits = std::numeric_limits<TypeParam>;
  if constexpr (limits::has_infinity) {
    const shifted_by<direction::up, TypeParam> down{limits::infinity(), limits::max()};
    EXPECT_EQ(down(origin, limits::infinity()), limits::infinity());
    EXPECT_EQ(down(origin, TypeParam{1}), -limits::infinity());
  }
}

TEST(map_rules_of_bool, end_at_one) {
  const shifted_by<direction::down, std::uint8_t> up{1, 1};
  EXPECT_EQ(up(origin, 0), 1);
  EXPECT_EQ(up(origin, 1), 1);
}

/// Exact where the type holds it, else its largest value; equal infinities give 0.
TYPED_TEST(map_rules, differences_saturate) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  for (auto n = scaled(20000); n > 0; --n) {
    T a = this->draw(), b = this->draw();
    if (a < b) std::swap(a, b);
    const T found = difference{}(origin, a, b);
    if constexpr (std::is_integral_v<T>) {
      __extension__ using wide = __int128;
      ASSERT_EQ(found, static_cast<T>(std::min<wide>(wide{a} - b, limits::max()))) << +a << " - " << +b;
    } else {
      ASSERT_EQ(found, a == b ? T{0} : a - b);
      ASSERT_FALSE(std::signbit(found));
    }
  }
}

TYPED_TEST(map_rules, waves_from_the_border_start_there) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  const T lowest = limits::has_infinity ? -limits::infinity() : limits::lowest();
  const T highest = limits::has_infinity ? limits::infinity() : limits::max();
  const frame volume{3, 4, 5, {}}, image{1, 4, 5, {}};
  const from_border<direction::up> up{volume, true};
  const from_border<direction::down> down{volume, true}, slice{image, false};
  for (std::int64_t z = 0; z < 3; ++z)
    for (std::int64_t y = 0; y < 4; ++y)
      for (std::int64_t x = 0; x < 5; ++x) {
        const bool inside = y > 0 && y < 3 && x > 0 && x < 4;
        EXPECT_EQ(up({z, y, x}, T{7}), inside && z == 1 ? lowest : T{7});
        EXPECT_EQ(down({z, y, x}, T{7}), inside && z == 1 ? highest : T{7});
        EXPECT_EQ(slice({0, y, x}, T{7}), inside ? highest : T{7});
      }
}

}  // namespace
}  // namespace macareu::test

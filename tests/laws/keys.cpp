// Keys keep the order of values and come back as the same value.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "core/key.hpp"
#include "patterns/wave.hpp"
#include "support/dice.hpp"
#include "support/palettes.hpp"
#include "support/types.hpp"

namespace macareu::test {
namespace {

template <class T>
bool same(T a, T b) {
  return std::bit_cast<key_of<T>>(a) == std::bit_cast<key_of<T>>(b);
}

/// The values in ascending order: all of a type of 8 or 16 bits, else specials and random ones.
template <class T>
std::vector<T> ordered_values() {
  std::vector<T> values;
  if constexpr (sizeof(T) <= 2) {
    for (std::int64_t v = std::numeric_limits<T>::lowest(); v <= std::numeric_limits<T>::max(); ++v)
      values.push_back(static_cast<T>(v));
  } else {
    values = special_values<T>();
    dice from(seed_of("keys", sizeof(T)));
    for (auto n = scaled(100000); n > 0; --n) {
      values.push_back(any_value<T>(from));
      const T near = values.back();
      if constexpr (std::is_floating_point_v<T>)
        values.push_back(std::nextafter(near, T{0}));
      else if (near < std::numeric_limits<T>::max())
        values.push_back(static_cast<T>(near + 1));
    }
    std::ranges::sort(values, [](T a, T b) { return before(a, b); });
  }
  return values;
}

template <class T>
class keys : public ::testing::Test {};
using key_types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                   std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(keys, key_types);

TYPED_TEST(keys, keep_order) {
  const auto values = ordered_values<TypeParam>();
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto a = values[i - 1], b = values[i];
    ASSERT_EQ(to_key(a) < to_key(b), before(a, b)) << a << ", " << b;
    ASSERT_EQ(to_key(a) == to_key(b), same(a, b)) << a << ", " << b;
  }
}

TYPED_TEST(keys, come_back) {
  for (const auto value : ordered_values<TypeParam>())
    ASSERT_TRUE(same(from_key<TypeParam>(to_key(value)), value)) << value;
}

TYPED_TEST(keys, fill_their_range) {
  if constexpr (std::is_integral_v<TypeParam>) {
    EXPECT_EQ(to_key(std::numeric_limits<TypeParam>::lowest()), 0u);
    EXPECT_EQ(to_key(std::numeric_limits<TypeParam>::max()), std::numeric_limits<key_of<TypeParam>>::max());
  } else {
    using limits = std::numeric_limits<TypeParam>;
    EXPECT_LT(to_key(-limits::infinity()), to_key(limits::lowest()));
    EXPECT_GT(to_key(limits::infinity()), to_key(limits::max()));
    EXPECT_EQ(to_key(TypeParam{0}) - to_key(-TypeParam{0}), 1u) << "-0 lies just below +0";
    EXPECT_EQ(to_key(limits::denorm_min()) - to_key(TypeParam{0}), 1u);
  }
}

TYPED_TEST(keys, rise_in_the_direction_of_the_wave) {
  const auto values = ordered_values<TypeParam>();
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto a = values[i - 1], b = values[i];
    ASSERT_EQ(rising_key<direction::up>(a) < rising_key<direction::up>(b), before(a, b));
    ASSERT_EQ(rising_key<direction::down>(b) < rising_key<direction::down>(a), before(a, b));
    ASSERT_TRUE(same(from_rising_key<direction::up, TypeParam>(rising_key<direction::up>(a)), a));
    ASSERT_TRUE(same(from_rising_key<direction::down, TypeParam>(rising_key<direction::down>(a)), a));
  }
}

}  // namespace
}  // namespace macareu::test

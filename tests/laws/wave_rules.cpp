// The laws of wave rules (patterns/wave.hpp), for every rule of the catalogue spelled as a general rule.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "patterns/wave.hpp"
#include "rules/flood.hpp"
#include "rules/regional_extrema.hpp"
#include "support/dice.hpp"
#include "support/palettes.hpp"

namespace macareu::test {
namespace {

constexpr site p{0, 0, 0}, q{0, 0, 1};

template <class T>
bool same(T a, T b) {
  return std::bit_cast<key_of<T>>(a) == std::bit_cast<key_of<T>>(b);
}

/// visit(rule, random value of T...)
template <class Rule, class T>
void check_laws(std::string_view name) {
  static_assert(bottleneck_rule<Rule, T, T>);
  static_assert(general_rule<as_general<Rule>, T, T>);
  static_assert(as_general<Rule>::confluent);
  const as_general<Rule> rule{};
  const auto seed = seed_of(name, sizeof(T), std::is_signed_v<T>, std::is_floating_point_v<T>);
  dice from(seed);
  const auto draw = [&] { return from.once_in(2) ? from.pick(special_values<T>()) : any_value<T>(from); };
  for (auto n = scaled(20000); n > 0; --n) {
    const T a = draw(), b = from.once_in(4) ? a : draw(), c = draw(), mask = draw();
    SCOPED_TRACE(::testing::Message() << name << ", seed " << seed << ": " << +a << ", " << +b << ", " << +c
                                      << ", mask " << +mask);
    // better is a strict total order that ignores q.
    ASSERT_FALSE(rule.better(a, a, q));
    ASSERT_EQ(rule.better(a, b, q) + rule.better(b, a, q) + same(a, b), 1);
    if (rule.better(a, b, q) && rule.better(b, c, q)) {
      ASSERT_TRUE(rule.better(a, c, q));
    }
    ASSERT_EQ(rule.better(a, b, p), rule.better(a, b, q));
    // offer is isotone, never better than its source, never better than the capacity, and idempotent.
    const T from_a = rule.offer(a, p, q, mask), from_b = rule.offer(b, p, q, mask);
    if (!rule.better(b, a, q)) {
      ASSERT_FALSE(rule.better(from_b, from_a, q));
    }
    ASSERT_FALSE(rule.better(from_a, a, q));
    ASSERT_FALSE(rule.better(from_a, Rule{}.capacity(q, mask), q));
    ASSERT_TRUE(same(rule.offer(from_a, q, p, mask), from_a));
    // It is one of the two.
    ASSERT_TRUE(same(from_a, a) || same(from_a, Rule{}.capacity(q, mask)));
  }
}

template <class T>
class wave_rules : public ::testing::Test {};
using pixel_types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(wave_rules, pixel_types);

TYPED_TEST(wave_rules, obey_the_laws) {
  check_laws<flood_under, TypeParam>("flood_under");
  check_laws<flood_over, TypeParam>("flood_over");
  check_laws<flood_plateaus<direction::up>, TypeParam>("flood_plateaus up");
  check_laws<flood_plateaus<direction::down>, TypeParam>("flood_plateaus down");
}

}  // namespace
}  // namespace macareu::test

// The laws of wave rules (patterns/wave.hpp), for every rule of the catalogue spelled as a general rule.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "patterns/wave.hpp"
#include "rules/flood.hpp"
#include "rules/propagation.hpp"
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

/// Not confluent, since its order depends on the pixel; a strict total order at every pixel all the same.
template <class Value>
void check_nearest_sites(Value spacing, Value limit) {
  const nearest_of_neighbours<Value> rule{{{1, true}, {spacing, true}, {1, true}}, limit};
  static_assert(general_rule<nearest_of_neighbours<Value>, packed_site> && !rule.confluent);
  dice from(seed_of("nearest_of_neighbours", sizeof(Value)));
  const auto place = [&] { return site{from.below(4), from.below(9), from.below(30)}; };
  const auto draw = [&] { return from.once_in(9) ? no_site : packed(place()); };
  for (auto n = scaled(20000); n > 0; --n) {
    const auto a = draw(), b = from.once_in(4) ? a : draw(), c = draw();
    const auto at = place(), to = place();
    ASSERT_TRUE(a == no_site || packed(unpacked(a)) == a);
    ASSERT_FALSE(rule.better(a, a, at));
    ASSERT_FALSE(rule.better(a, b, at) && rule.better(b, a, at));
    if (rule.better(a, b, at) && rule.better(b, c, at)) {
      ASSERT_TRUE(rule.better(a, c, at));
    }
    ASSERT_EQ(rule.offer(a, at, to), a);
    ASSERT_FALSE(rule.better(no_site, a, at));
    const bool within = a != no_site && rule.distance(at, a) <= limit;
    ASSERT_EQ(rule.better(a, no_site, at), within);
    if (within && a != b) {
      ASSERT_TRUE(rule.better(a, b, at) || rule.better(b, a, at)) << "of two, one is preferred";
    }
  }
}

TEST(wave_rules_of_sites, obey_the_laws) {
  check_nearest_sites<std::uint64_t>(1, 1000000);
  check_nearest_sites<std::uint64_t>(3, 50);
  check_nearest_sites<double>(0.7, std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace macareu::test

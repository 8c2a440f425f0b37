// The laws of wave rules (patterns/wave.hpp), for every rule of the catalogue spelled as a general rule.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "laws/checked_rules.hpp"
#include "operators/common/flood.hpp"
#include "operators/common/masks.hpp"
#include "operators/distance/propagation.hpp"
#include "operators/reconstruction/flood_from.hpp"
#include "patterns/edges.hpp"
#include "patterns/wave.hpp"
#include "support/dice.hpp"
#include "support/palettes.hpp"

namespace macareu::test {
namespace {

constexpr site p{0, 0, 0}, q{0, 0, 1};

template <class T>
bool same(T a, T b) {
  return std::bit_cast<key_of<T>>(a) == std::bit_cast<key_of<T>>(b);
}

template <class T>
T draw_value(dice& from) {
  return from.once_in(2) ? from.pick(special_values<T>()) : any_value<T>(from);
}

/// States of binary rules are bytes of 0 and 1.
template <class Rule, class State>
State draw_state(dice& from) {
  if constexpr (is_binary<Rule>)
    return static_cast<State>(from.below(2));
  else
    return draw_value<State>(from);
}

/// The first law that the states and the input break, in words.
template <class Rule, class State, class In>
const char* broken_law(const as_general<Rule>& rule, State a, State b, State c, In in) {
  const State capacity = rule.rule.capacity(q, in);
  const State from_a = rule.offer(a, p, q, in), from_b = rule.offer(b, p, q, in);
  if (rule.better(a, a, q)) return "better is strict";
  if (rule.better(a, b, q) + rule.better(b, a, q) + same(a, b) != 1) return "better is total";
  if (rule.better(a, b, q) && rule.better(b, c, q) && !rule.better(a, c, q)) return "better is transitive";
  if (rule.better(a, b, p) != rule.better(a, b, q)) return "better ignores q";
  if (!rule.better(b, a, q) && rule.better(from_b, from_a, q)) return "offer is isotone";
  if (rule.better(from_a, a, q)) return "an offer is never better than its source";
  if (rule.better(from_a, capacity, q)) return "an offer is never better than the capacity";
  if (!same(rule.offer(from_a, q, p, in), from_a)) return "offer is idempotent";
  if (!same(from_a, a) && !same(from_a, capacity)) return "an offer is the state or the capacity";
  if (is_binary<Rule> && (capacity > 1 || from_a > 1)) return "binary states and capacities are 0 or 1";
  if constexpr (capacity_is_input<Rule>)
    if (!same(capacity, in)) return "the capacity is the input";
  return nullptr;
}

/// draw_rule() gives a rule with any parameters that it can have.
template <class State, class In, class Draw>
void check_laws(std::string_view name, Draw draw_rule) {
  using rule_type = decltype(draw_rule(std::declval<dice&>()));
  using general = as_general<rule_type>;
  static_assert(bottleneck_rule<rule_type, State, In>);
  static_assert(general_rule<general, State, In>);
  static_assert(general::confluent);
  static_assert(!is_binary<rule_type> ||
                (std::is_same_v<State, std::uint8_t> && general::toward == direction::up));
  counts_as_checked<pattern::wave, rule_type>();
  counts_as_checked<pattern::wave, general>();
  const auto seed = seed_of(name, sizeof(In), std::is_signed_v<In>, std::is_floating_point_v<In>);
  dice from(seed);
  for (auto n = scaled(20000); n > 0; --n) {
    const general rule{draw_rule(from)};
    const State a = draw_state<rule_type, State>(from);
    const State b = from.once_in(4) ? a : draw_state<rule_type, State>(from);
    const State c = draw_state<rule_type, State>(from);
    const In in = draw_value<In>(from);
    if (const char* law = broken_law(rule, a, b, c, in))
      FAIL() << law << ": " << name << ", seed " << seed << ": " << +a << ", " << +b << ", " << +c
             << ", input " << +in;
  }
}

template <class Rule>
Rule plain_rule(dice&) {
  return {};
}

template <class T>
class wave_rules : public ::testing::Test {};
using pixel_types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(wave_rules, pixel_types);

TYPED_TEST(wave_rules, obey_the_laws) {
  using T = TypeParam;
  check_laws<T, T>("flood_under", plain_rule<flood_under>);
  check_laws<T, T>("flood_over", plain_rule<flood_over>);
  check_laws<std::uint8_t, T>("flood_from", [](dice& from) { return flood_from<T>{draw_value<T>(from)}; });
}

TEST(wave_rules_of_levels, obey_the_laws) {
  check_laws<std::uint8_t, std::uint8_t>("flood_levels", plain_rule<flood_levels>);
}

/// What binary waves start from.
TYPED_TEST(wave_rules, binary_starts_are_0_or_1) {
  using T = TypeParam;
  dice from(seed_of("binary_starts", sizeof(T), std::is_signed_v<T>));
  for (auto n = scaled(20000); n > 0; --n) {
    const T first = draw_value<T>(from), value = draw_value<T>(from);
    ASSERT_LE(at_least<T>{first}(p, value), 1);
    ASSERT_LE(highest_level{}(p, static_cast<std::uint8_t>(from.below(256))), 1);
  }
}

/// Not confluent, since its order depends on the pixel; a strict total order at every pixel all the same.
template <class Value>
void check_nearest_sites(Value spacing, Value limit) {
  const nearest_of_neighbours<Value> rule{{{1, true}, {spacing, true}, {1, true}}, limit};
  static_assert(general_rule<nearest_of_neighbours<Value>, packed_site> && !rule.confluent);
  counts_as_checked<pattern::wave, nearest_of_neighbours<Value>>();
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

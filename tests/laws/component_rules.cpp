// The laws of component rules (patterns/component.hpp): what joins neighbours is symmetric and transitive,
// and one class is one class.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "laws/checked_rules.hpp"
#include "operators/objects/labels/object_rules.hpp"
#include "support/dice.hpp"
#include "support/palettes.hpp"

namespace macareu::test {
namespace {

template <class T>
class component_rules : public ::testing::Test {
 protected:
  /// Few values, so that many are equal.
  T draw() { return from_.once_in(8) ? any_value<T>(from_) : from_.pick(special_values<T>()); }

  template <class Draw>
  void check_laws(Draw draw_rule) {
    using rule_type = decltype(draw_rule());
    static_assert(component_rule<rule_type, T>);
    counts_as_checked<pattern::component, rule_type>();
    for (auto n = scaled(20000); n > 0; --n) {
      const auto rule = draw_rule();
      const T a = draw(), b = from_.once_in(3) ? a : draw(), c = from_.once_in(3) ? b : draw();
      ASSERT_EQ(joined(rule, a, a), rule.inside(a)) << +a;
      ASSERT_EQ(joined(rule, a, b), joined(rule, b, a)) << +a << ", " << +b;
      ASSERT_TRUE(!joined(rule, a, b) || !joined(rule, b, c) || joined(rule, a, c))
          << +a << ", " << +b << ", " << +c;
      if (one_class<rule_type> && rule.inside(a) && rule.inside(b)) {
        ASSERT_EQ(rule.class_of(a), rule.class_of(b)) << +a << ", " << +b;
      }
    }
  }

  dice from_{seed_of("component_rules", sizeof(T), std::is_signed_v<T>)};
};
using pixel_types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(component_rules, pixel_types);

TYPED_TEST(component_rules, set_pixels) {
  this->check_laws([] { return set_pixels{}; });
}

TYPED_TEST(component_rules, equal_values) {
  this->check_laws([&] { return equal_values<TypeParam>{this->draw(), this->from_.once_in(2)}; });
}

TYPED_TEST(component_rules, same_interval) {
  this->check_laws([&] {
    same_interval<TypeParam> rule;
    for (auto n = this->from_.below(4); n > 0; --n) {
      const auto [low, high] = std::minmax({this->draw(), this->draw()});
      rule.low[rule.count] = low;
      rule.high[rule.count++] = high;
    }
    return rule;
  });
}

}  // namespace
}  // namespace macareu::test

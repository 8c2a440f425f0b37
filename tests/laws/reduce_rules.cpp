// The laws of reduce rules (patterns/reduce.hpp): join is associative and commutative, identity() is neutral.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "laws/checked_rules.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/find.hpp"
#include "operators/common/range.hpp"
#include "operators/filters/two_classes.hpp"
#include "operators/measures/moments.hpp"
#include "operators/objects/labels/label_images.hpp"
#include "operators/objects/measures/intensities.hpp"
#include "operators/objects/outlines/shown_values.hpp"
#include "patterns/reduce.hpp"
#include "patterns/summary.hpp"
#include "support/dice.hpp"
#include "support/palettes.hpp"

namespace macareu::test {
namespace {

template <class Rule, class Draw>
void check_laws(const Rule& rule, Draw lifted) {
  counts_as_checked<pattern::reduce, Rule>();
  for (auto n = scaled(20000); n > 0; --n) {
    const typename Rule::value a = lifted(), b = lifted(), c = lifted();
    ASSERT_TRUE(rule.join(rule.join(a, b), c) == rule.join(a, rule.join(b, c)));
    ASSERT_TRUE(rule.join(a, b) == rule.join(b, a));
    ASSERT_TRUE(rule.join(rule.identity(), a) == a);
    ASSERT_TRUE(rule.join(a, rule.identity()) == a);
  }
}

template <class T>
class reduce_rules : public ::testing::Test {
 protected:
  T draw() { return from_.once_in(2) ? from_.pick(special_values<T>()) : any_value<T>(from_); }
  site anywhere() { return {from_.below(5), from_.below(7), from_.below(9)}; }
  dice from_{seed_of("reduce_rules", sizeof(T))};
};
using pixel_types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(reduce_rules, pixel_types);

TYPED_TEST(reduce_rules, range_of_keys) {
  const key_range<TypeParam> rule{};
  static_assert(reduce_rule<key_range<TypeParam>, TypeParam>);
  check_laws(rule, [&] { return rule.lift(this->anywhere(), this->draw()); });
}

TYPED_TEST(reduce_rules, range_of_finite_values) {
  const finite_range rule{};
  static_assert(reduce_rule<finite_range, TypeParam>);
  check_laws(rule, [&] { return rule.lift(this->anywhere(), this->draw()); });
}

TYPED_TEST(reduce_rules, summary) {
  const summary_of<TypeParam> rule{{5, 7, 9, {}}};
  static_assert(reduce_rule<summary_of<TypeParam>, TypeParam>);
  check_laws(rule, [&] { return rule.lift(this->anywhere(), this->draw()); });
}

TYPED_TEST(reduce_rules, greatest_number_of_an_object) {
  const greatest_number rule{};
  static_assert(reduce_rule<greatest_number, TypeParam>);
  check_laws(rule, [&] {
    const bool whole = std::is_integral_v<TypeParam>;  // others are refused before
    return rule.lift(this->anywhere(), whole ? this->draw() : TypeParam(this->from_.below(1000)));
  });
}

/// Of values that are finite and no larger than the unit was chosen for.
TYPED_TEST(reduce_rules, sums_in_units) {
  using limits = std::numeric_limits<TypeParam>;
  const auto finite = [&] { return std::clamp(this->draw(), limits::lowest(), limits::max()); };
  const sum_in_units sum{unit_for(-static_cast<double>(limits::lowest()), 1000)};
  static_assert(reduce_rule<sum_in_units, TypeParam>);
  check_laws(sum, [&] { return sum.lift(this->anywhere(), finite()); });

  const double most = std::min(1e100, static_cast<double>(limits::max()));  // its square is finite
  const auto moderate = [&] {
    const auto value = this->draw();
    return std::abs(static_cast<double>(value)) <= most ? value : TypeParam{1};
  };
  const squares_in_units squares{7.25, unit_for(4 * most * most, 1000)};
  static_assert(reduce_rule<squares_in_units, TypeParam>);
  check_laws(squares, [&] { return squares.lift(this->anywhere(), moderate()); });
}

TYPED_TEST(reduce_rules, any_pixel_beyond) {
  const any_pixel<beyond<direction::up>> rule{};
  static_assert(reduce_rule<any_pixel<beyond<direction::up>>, TypeParam, TypeParam>);
  check_laws(rule, [&] { return rule.lift(this->anywhere(), this->draw(), this->draw()); });
}

TYPED_TEST(reduce_rules, first_pixel_beyond) {
  const first_pixel<beyond<direction::down>> rule{{}, 7, 9};
  static_assert(reduce_rule<first_pixel<beyond<direction::down>>, TypeParam, TypeParam>);
  check_laws(rule, [&] { return rule.lift(this->anywhere(), this->draw(), this->draw()); });
}

TYPED_TEST(reduce_rules, greatest_magnitude_of_objects) {
  const greatest_magnitude rule{};
  static_assert(reduce_rule<greatest_magnitude, std::uint32_t, TypeParam>);
  check_laws(rule, [&] {
    const bool bad = std::numeric_limits<TypeParam>::has_quiet_NaN && this->from_.once_in(9);
    return rule.lift(this->anywhere(), static_cast<std::uint32_t>(this->from_.below(3)),
                     bad ? std::numeric_limits<TypeParam>::quiet_NaN() : this->draw());
  });
}

TEST(reduce_rules_of_floats, class_sums) {
  dice from(seed_of("class_sums"));
  const class_sums rule{0.5F, whole_values<float, std::uint64_t>::of(100, 40)};
  static_assert(reduce_rule<class_sums, float>);
  check_laws(rule, [&] { return rule.lift({0, 0, 0}, static_cast<float>(from.between(-1000, 1000)) / 10); });
}

TYPED_TEST(reduce_rules, first_pixel_that_is_nan) {
  const first_pixel<is_nan> rule{{}, 7, 9};
  const auto one = [&] {
    const bool bad = std::numeric_limits<TypeParam>::has_quiet_NaN && this->from_.once_in(2);
    return rule.lift(this->anywhere(), bad ? std::numeric_limits<TypeParam>::quiet_NaN() : this->draw());
  };
  check_laws(rule, one);
}

}  // namespace
}  // namespace macareu::test

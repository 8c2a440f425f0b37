// The laws of line rules (patterns/line.hpp), and lines along every axis on both engines against the
// definition.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "engines/cpu/engine.hpp"
#include "engines/serial/engine.hpp"
#include "laws/checked_rules.hpp"
#include "operators/distance/line_distance.hpp"
#include "patterns/line_slabs.hpp"
#include "support/dice.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

/// On a line of so many pixels, for lifted values that draw() gives.
template <class Rule, class Draw>
void check_laws(const Rule& rule, std::int64_t size, Draw draw) {
  using value = typename Rule::value;
  counts_as_checked<pattern::line, Rule>();
  ASSERT_EQ(rule.cost(0), value{0});
  for (std::int64_t k = 0; k + 2 < size; ++k) {
    ASSERT_LE(rule.cost(k), rule.cost(k + 1));
    if (std::is_integral_v<value> && rule.join() == line_join::sum) {
      ASSERT_LE(rule.cost(k + 1) - rule.cost(k), rule.cost(k + 2) - rule.cost(k + 1)) << "not convex";
    }
  }
  const auto far = rule.result(joined(rule.join(), draw(true), value{0}));
  for (int n = 0; n < 1000; ++n) {
    const value a = draw(n % 3 == 0);
    ASSERT_GE(a, value{0});
    const value sum = joined(rule.join(), a, rule.cost(size - 1));
    ASSERT_GE(sum, a) << "it does not fit";
    if (sum > rule.limit()) {
      ASSERT_EQ(rule.result(sum), far);
    }
  }
}

TEST(line_rules, steps_to_site) {
  const steps_to_site<std::uint16_t> narrow{};
  static_assert(line_rule<steps_to_site<std::uint16_t>, std::uint16_t, float> && is_linear<decltype(narrow)>);
  check_laws(narrow, no_steps<std::uint16_t>, [&](bool none) { return narrow.lift(none ? 7 : 0); });
  const steps_to_site<std::uint32_t> wide{};
  check_laws(wide, 100000, [&](bool none) { return wide.lift(none ? 7 : 0); });
  EXPECT_EQ(steps_to_site<std::uint16_t>{false}.lift(7), 0);
}

template <class Value>
using inner_pass = distance_pass<Value, from_values<Value>, to_values<Value>>;

template <class Value>
inner_pass<Value> pass_with(Value spacing, line_join join, bool squared, Value limit, Value none) {
  return {{spacing, squared}, join, {limit, none}, {}, {}};
}

template <class Value>
class distance_rules : public ::testing::Test {};
using value_types = ::testing::Types<std::uint32_t, std::uint64_t, double>;
TYPED_TEST_SUITE(distance_rules, value_types);

TYPED_TEST(distance_rules, obey_the_laws) {
  dice from(seed_of("distance_rules", sizeof(TypeParam)));
  constexpr std::int64_t size = 1000;
  constexpr bool real = std::is_floating_point_v<TypeParam>;
  const TypeParam none =
      real ? static_cast<TypeParam>(std::numeric_limits<double>::infinity()) : TypeParam{30000000};
  for (const bool squared : {true, false})
    for (const auto join : {line_join::sum, line_join::maximum})
      for (const TypeParam limit : {TypeParam{12000000}, TypeParam{100}}) {
        const auto rule = pass_with<TypeParam>(3, join, squared, limit, none);
        check_laws(rule, size,
                   [&](bool far) { return far ? none : static_cast<TypeParam>(from.below(9000000)); });
      }
}

/// Random lines, some dense and some with hardly a finite value, so that both ways of the kernel are taken.
TYPED_TEST(distance_rules, engines_agree_along_every_axis) {
  dice from(seed_of("line_engines", sizeof(TypeParam)));
  constexpr bool real = std::is_floating_point_v<TypeParam>;
  const TypeParam none =
      real ? static_cast<TypeParam>(std::numeric_limits<double>::infinity()) : TypeParam{30000000};
  for (auto n = scaled(150); n > 0; --n) {
    std::int64_t size[3] = {from.between(1, 6), from.between(1, 6), from.between(1, 6)};
    const auto axis = static_cast<line_axis>(from.below(3));
    size[static_cast<int>(axis)] = from.between(1, from.once_in(3) ? 1000 : 70);
    const extents shape{size[0], size[1], size[2]};
    buffer<TypeParam> in(size[0], size[1], size[2]), expected(size[0], size[1], size[2]);
    const auto sites = static_cast<int>(from.pick(std::vector{1, 5, 100, 2000}));
    const auto highest = from.pick(std::vector<std::int64_t>{1, 100, 100000});
    for (std::int64_t i = 0; i < shape.pixels(); ++i)
      in.pixels().data[i] = from.once_in(sites)
                                ? static_cast<TypeParam>(from.below(highest)) * TypeParam(real ? 0.49 : 1)
                                : none;
    const TypeParam limit = from.once_in(4) ? TypeParam(from.between(1, 5000))
                            : real          ? TypeParam(1e9)
                                            : TypeParam(none - 1);
    const auto tenths = static_cast<TypeParam>(from.between(1, 40)) / TypeParam{10};
    const auto rule = pass_with<TypeParam>(real ? tenths : static_cast<TypeParam>(from.between(1, 4)),
                                           from.once_in(3) ? line_join::maximum : line_join::sum,
                                           !from.once_in(3), limit, none);
    const context alone{}, pair{.threads = 2};
    job serial_work{alone, {}}, cpu_work{pair, {}};
    serial::engine(serial_work)
        .line(rule, axis, framed(expected.pixels()), framed<const TypeParam>(in.pixels()));
    strided_image out(from, dtype_of<TypeParam>, shape);
    cpu::engine(cpu_work).line(rule, axis, memory_image<TypeParam>(out.view()),
                               framed<const TypeParam>(in.pixels()));
    for (std::int64_t z = 0; z < size[0]; ++z)
      for (std::int64_t y = 0; y < size[1]; ++y)
        for (std::int64_t x = 0; x < size[2]; ++x) {
          const site p{z, y, x};
          ASSERT_EQ((typed_view<TypeParam>(out.view())[p]), expected.pixels()[p])
              << "axis " << static_cast<int>(axis) << ", " << to_string(shape) << " at " << z << ", " << y
              << ", " << x;
        }
    ASSERT_TRUE(out.gaps_untouched());
  }
}

TEST(line_rules, scans_along_every_axis) {
  dice from(seed_of("line_scans"));
  for (auto n = scaled(100); n > 0; --n) {
    const extents shape{from.between(1, 5), from.between(1, 40), from.between(1, 40)};
    strided_image in(from, dtype::u8, shape), out(from, dtype::u16, shape);
    image sites(dtype::u8, shape);
    for (auto& pixel : sites.pixels<std::uint8_t>()) pixel = from.once_in(6) ? 0 : 1;
    in.assign(sites);
    const auto source = memory_image<const std::uint8_t>(in.view());
    buffer<std::uint16_t> expected(shape.depth(), shape.height(), shape.width());
    for (const auto axis : {line_axis::z, line_axis::y, line_axis::x}) {
      const steps_to_site<std::uint16_t> rule{};
      const context alone{}, pair{.threads = 2};
      job serial_work{alone, {}}, cpu_work{pair, {}};
      serial::engine(serial_work).line(rule, axis, framed(expected.pixels()), source);
      cpu::engine(cpu_work).line(rule, axis, memory_image<std::uint16_t>(out.view()), source);
      for (std::int64_t i = 0; i < shape.pixels(); ++i) {
        const site p{i / shape.width() / shape.height(), i / shape.width() % shape.height(),
                     i % shape.width()};
        ASSERT_EQ((typed_view<std::uint16_t>(out.view())[p]), expected.pixels()[p]) << to_string(shape);
      }
    }
  }
}

/// Slabs of one slice, of some, of more than there are, in volumes and in images.
TEST(line_rules, by_slabs) {
  dice from(seed_of("line_slabs"));
  for (auto n = scaled(60); n > 0; --n) {
    const extents shape{from.between(1, 9), from.between(1, 9), from.between(1, 12)};
    buffer<std::uint8_t> sites(shape.depth(), shape.height(), shape.width());
    for (std::int64_t i = 0; i < shape.pixels(); ++i) sites.pixels().data[i] = from.once_in(9) ? 0 : 1;
    buffer<double> expected(shape.depth(), shape.height(), shape.width());
    strided_image found(from, dtype::f64, shape);
    constexpr double none = std::numeric_limits<double>::infinity();
    const distance_range<double> range{from.once_in(3) ? 9.0 : 1e9, none};
    using from_counts = distance_pass<double, from_steps<double>, to_values<double>>;
    const along count{line_axis::z, steps_to_site<std::uint16_t>{}};
    const along middle{line_axis::y, from_counts{{1.3, true}, line_join::sum, range, {{0.7, true}}, {}}};
    const along last{line_axis::x, inner_pass<double>{{2.1, true}, line_join::sum, range, {}, {}}};
    const context alone{};
    job work{alone, {}};
    serial::engine engine(work);
    const framed<const std::uint8_t> source(sites.pixels());
    one_line_after_another(engine, framed(expected.pixels()), source, count, middle, last);
    lines_by_slabs(engine, from.between(0, 400), memory_image<double>(found.view()), source, count, middle,
                   last);
    for (std::int64_t i = 0; i < shape.pixels(); ++i) {
      const site p{i / shape.width() / shape.height(), i / shape.width() % shape.height(), i % shape.width()};
      ASSERT_EQ((typed_view<double>(found.view())[p]), expected.pixels()[p]) << to_string(shape);
    }
    ASSERT_TRUE(found.gaps_untouched());
  }
}

}  // namespace
}  // namespace macareu::test

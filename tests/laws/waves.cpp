// Waves of general rules: both engines agree, and a confluent rule reaches the serial engine's states in any
// visiting order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engines/cpu/engine.hpp"
#include "engines/serial/engine.hpp"
#include "operators/common/flood.hpp"
#include "support/dice.hpp"
#include "support/palettes.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

/// Every region of equal class takes the smallest label in it: the plainest confluent rule that is not a
/// bottleneck.
struct smallest_label {
  static constexpr bool confluent = true;
  static constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();
  std::int32_t offer(std::int32_t label, site, site, std::uint8_t inside) const {
    return inside ? label : never;
  }
  bool better(std::int32_t a, std::int32_t b, site) const { return a < b; }
};
static_assert(general_rule<smallest_label, std::int32_t, std::uint8_t>);
static_assert(!bottleneck_rule<smallest_label, std::int32_t, std::uint8_t>);

/// The nearest marked pixel, by its place: a site may be dropped on its way to a pixel that it would have
/// won, so the order of visits shows.
struct nearest_site {
  static constexpr bool confluent = false;
  static constexpr std::int32_t none = -1;
  static std::int64_t apart(std::int32_t label, site q) {
    const std::int64_t dy = label / 1024 - q.y, dx = label % 1024 - q.x;
    return dy * dy + dx * dx;
  }
  std::int32_t offer(std::int32_t label, site, site, std::uint8_t) const { return label; }
  bool better(std::int32_t a, std::int32_t b, site q) const {
    return a != none && (b == none || apart(a, q) < apart(b, q));
  }
};

struct problem {
  problem(dice& from, const extents& s)
      : shape(s), in(static_cast<std::size_t>(s.pixels())), start(in.size()), state(from, dtype::i32, s) {}
  framed<const std::uint8_t> inputs() const {
    return memory_image<const std::uint8_t>(const_image_view(in.data(), shape));
  }
  framed<const std::int32_t> starts() const {
    return memory_image<const std::int32_t>(const_image_view(start.data(), shape));
  }
  template <class Engine, class Rule>
  image run(const context& how, const Rule& rule, const neighbourhood& near) {
    job work{how, {}};
    Engine(work).wave(rule, near, memory_image<std::int32_t>(state.view()), mapped(as_given{}, starts()),
                      inputs());
    return copy_of(state);
  }

  extents shape;
  std::vector<std::uint8_t> in;
  std::vector<std::int32_t> start;
  strided_image state;
};

/// Labels by flood fill.
std::vector<std::int32_t> flood_filled(const problem& given, const neighbourhood& near) {
  auto labels = given.start;
  const auto inputs = given.inputs().pixels();
  const auto index = [&](site p) {
    return static_cast<std::size_t>((p.z * inputs.height + p.y) * inputs.width + p.x);
  };
  std::vector<std::uint8_t> seen(labels.size());
  for (std::int64_t z = 0; z < inputs.depth; ++z)
    for (std::int64_t y = 0; y < inputs.height; ++y)
      for (std::int64_t x = 0; x < inputs.width; ++x) {
        if (!inputs[{z, y, x}] || seen[index({z, y, x})]++) continue;
        std::vector<site> region{{z, y, x}};
        std::int32_t smallest = smallest_label::never;
        for (std::size_t i = 0; i < region.size(); ++i) {
          const auto p = region[i];
          smallest = std::min(smallest, given.start[index(p)]);
          near.for_each(p, [&](site q) {
            if (!inputs.contains(q)) return;
            if (!inputs[q]) smallest = std::min(smallest, given.start[index(q)]);
            if (inputs[q] && !seen[index(q)]++) region.push_back(q);
          });
        }
        for (const auto p : region) labels[index(p)] = smallest;
      }
  return labels;
}

TEST(waves, smallest_labels) {
  for (const auto near : {neighbourhood{2, 1}, neighbourhood{2, 2}, neighbourhood{3, 1}, neighbourhood{3, 2},
                          neighbourhood{3, 3}})
    for (std::int64_t i = 0; i < scaled(60); ++i) {
      const auto seed = seed_of("smallest_labels", near.rank, near.reach, i);
      dice from(seed);
      const auto side = [&](int longest) { return from.between(1, i % 20 == 0 ? 8 * longest : longest); };
      problem given(from, near.rank == 3 ? extents{side(6), side(9), side(12)} : extents{side(30), side(40)});
      for (auto& inside : given.in) inside = from.below(100) < 55;
      for (std::size_t k = 0; k < given.start.size(); ++k)
        given.start[k] = static_cast<std::int32_t>(from.below(1 << 20));
      const auto expected = flood_filled(given, near);
      const const_image_view expected_view(expected.data(), given.shape);
      ASSERT_TRUE(same_bits(given.run<serial::engine>({}, smallest_label{}, near), expected_view))
          << "seed " << seed;
      for (const int threads : {1, 2, 3})
        ASSERT_TRUE(
            same_bits(given.run<cpu::engine>({.threads = threads}, smallest_label{}, near), expected_view))
            << threads << " threads, seed " << seed;
    }
}

TEST(waves, a_rule_that_is_not_confluent_keeps_the_serial_order) {
  int order_matters = 0;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(6, scaled(60)); ++i) {
    const auto seed = seed_of("nearest_site", i);
    dice from(seed);
    const neighbourhood near{2, static_cast<int>(from.between(1, 2))};
    problem given(from, {96, 96});
    std::ranges::fill(given.start, nearest_site::none);
    std::vector<std::int32_t> labels;
    for (int n = 0; n < 60; ++n) {
      const auto y = from.below(96), x = from.below(96);
      labels.push_back(static_cast<std::int32_t>(y * 1024 + x));
      given.start[static_cast<std::size_t>(y * 96 + x)] = labels.back();
    }
    const auto expected = given.run<serial::engine>({}, nearest_site{}, near);
    for (const int threads : {1, 3})
      ASSERT_TRUE(same_bits(given.run<cpu::engine>({.threads = threads}, nearest_site{}, near), expected))
          << threads << " threads, seed " << seed;
    const auto found = expected.pixels<std::int32_t>();
    for (std::size_t k = 0; k < found.size(); ++k) {  // is some pixel not at its nearest site?
      const site q{0, static_cast<std::int64_t>(k) / 96, static_cast<std::int64_t>(k) % 96};
      const auto wins = [&](std::int32_t label) {
        return nearest_site::apart(label, q) < nearest_site::apart(found[k], q);
      };
      if (std::ranges::any_of(labels, wins)) {
        ++order_matters;
        break;
      }
    }
  }
  EXPECT_GT(order_matters, 0) << "the images are too easy to tell orders apart";
}

/// Pixels in random order, again and again until no offer is better.
template <class Rule, class State, class In>
void settle_in_random_order(dice& from, const Rule& rule, const neighbourhood& near, view<State> state,
                            view<const In> in) {
  std::vector<site> order;
  serial::for_each_site(state.depth, state.height, state.width, [&](site p) { order.push_back(p); });
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(from.below(static_cast<std::int64_t>(i)))]);
    for (const auto p : order)
      near.for_each(p, [&](site q) {
        if (!state.contains(q)) return;
        const State offer = rule.offer(state[p], p, q, in[q]);
        if (!rule.better(offer, state[q], q)) return;
        state[q] = offer;
        moved = true;
      });
  }
}

template <class Rule, class T>
void expect_confluent(std::string_view name) {
  for (std::int64_t i = 0; i < scaled(200); ++i) {
    const auto seed = seed_of(name, sizeof(T), i);
    dice from(seed);
    const int rank = i % 2 == 0 ? 2 : 3;
    const neighbourhood near{rank, static_cast<int>(from.between(1, rank))};
    const extents shape = rank == 3 ? extents{from.between(1, 4), from.between(1, 6), from.between(1, 8)}
                                    : extents{from.between(1, 12), from.between(1, 15)};
    std::vector<T> start(static_cast<std::size_t>(shape.pixels())), mask(start.size()), state(start.size());
    std::vector<T> few(5);
    draw_palette(from, dtype_of<T>, few);
    for (auto& value : start) value = from.pick(few);
    for (auto& value : mask) value = from.pick(few);
    const auto masks = memory_image<const T>(const_image_view(mask.data(), shape));
    const context how{};
    job work{how, {}};
    serial::engine(work).wave(
        Rule{}, near, memory_image<T>(image_view(state.data(), shape)),
        mapped(as_given{}, memory_image<const T>(const_image_view(start.data(), shape))), masks);
    for (int again = 0; again < 3; ++again) {
      auto other = start;
      const auto others = typed_view<T>(image_view(other.data(), shape));
      const as_general<Rule> general{};
      serial::for_each_site(others.depth, others.height, others.width,
                            [&](site p) { others[p] = general.offer(others[p], p, p, masks.pixels()[p]); });
      settle_in_random_order(from, general, near, others, masks.pixels());
      ASSERT_TRUE(same_bits(const_image_view(other.data(), shape), const_image_view(state.data(), shape)))
          << name << ", seed " << seed;
    }
  }
}

TEST(waves, every_order_reaches_the_same_states) {
  expect_confluent<flood_under, std::uint8_t>("flood_under u8");
  expect_confluent<flood_over, std::int32_t>("flood_over i32");
  expect_confluent<flood_under, double>("flood_under f64");
  expect_confluent<flood_under, float>("flood_under f32");
  expect_confluent<flood_over, std::int16_t>("flood_over i16");
}

TEST(waves, labels_in_every_order) {
  for (std::int64_t i = 0; i < scaled(100); ++i) {
    const auto seed = seed_of("labels_in_every_order", i);
    dice from(seed);
    const neighbourhood near{2, static_cast<int>(from.between(1, 2))};
    problem given(from, {from.between(1, 12), from.between(1, 12)});
    for (auto& inside : given.in) inside = from.below(100) < 55;
    for (auto& label : given.start) label = static_cast<std::int32_t>(from.below(1000));
    const auto expected = given.run<serial::engine>({}, smallest_label{}, near);
    auto state = given.start;
    settle_in_random_order(from, smallest_label{}, near,
                           typed_view<std::int32_t>(image_view(state.data(), given.shape)),
                           given.inputs().pixels());
    ASSERT_TRUE(same_bits(const_image_view(state.data(), given.shape), expected)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace macareu::test

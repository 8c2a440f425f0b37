#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <macareu/macareu.hpp>

#include "operators/distances.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

using options = distance_transform_options;
using metric = distance_transform_metric;
using type = distance_transform_type;

/// By definition: the least distance over all sites, every operation in f64 and in the order of the axes.
/// Squared for the euclidean metric; others are counted in tenths, which all spacings here are made of.
std::vector<double> by_definition(const binary_image& f, const options& how) {
  const int rank = f.shape.rank();
  std::vector<std::array<std::int64_t, 3>> places;
  for (std::int64_t z = 0; z < f.shape.depth(); ++z)
    for (std::int64_t y = 0; y < f.shape.height(); ++y)
      for (std::int64_t x = 0; x < f.shape.width(); ++x) places.push_back({z, y, x});
  const auto cost = [&](const auto& p, const auto& q) {
    double total = 0;
    for (int axis = 3 - rank; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const auto s = how.spacing.size() == 1 ? 0 : a - static_cast<std::size_t>(3 - rank);
      const double steps = static_cast<double>(std::abs(p[a] - q[a])), step = how.spacing[s].to_double();
      if (how.metric == metric::chessboard)
        total = std::max(total, steps * std::round(10 * step));
      else if (how.metric == metric::euclidean)
        total += (steps * step) * (steps * step);
      else
        total += steps * std::round(10 * step);
    }
    return how.metric == metric::euclidean ? total : total / 10;
  };
  std::vector<double> best(places.size(), infinity);
  for (std::size_t j = 0; j < places.size(); ++j)
    if ((f.pixels[j] == 0) != how.invert)
      for (std::size_t i = 0; i < places.size(); ++i) best[i] = std::min(best[i], cost(places[i], places[j]));
  const double most = how.max_distance.to_double();
  for (auto& value : best)
    if ((how.metric == metric::euclidean ? std::sqrt(value) : value) > most) value = infinity;
  return best;
}

options draw_options(std::mt19937& dice, int rank) {
  options how;
  how.metric = static_cast<metric>(dice() % 3);
  how.invert = dice() % 4 == 0;
  if (dice() % 3 == 0) how.max_distance = static_cast<double>(1 + dice() % 40) / 4;
  const bool whole = dice() % 2 == 0;
  if (dice() % 2 == 0) {
    how.spacing.clear();
    for (int axis = 0; axis < (dice() % 4 ? rank : 1); ++axis)
      how.spacing.push_back(whole ? number(1 + dice() % 4)
                                  : number(static_cast<double>(1 + dice() % 30) / 10));
    if (how.spacing.size() == 2 && rank == 3) how.spacing.resize(1, 1);
  }
  return how;
}

void expect_distances(const binary_image& f, options how, const context& where) {
  const auto expected = by_definition(f, how);
  how.type = type::f64;
  const auto exact = values_of<double>(distance_transform(f, how, where));
  how.type = type::f32;
  const auto rounded = values_of<float>(distance_transform(f, how, where));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double distance = how.metric == metric::euclidean ? std::sqrt(expected[i]) : expected[i];
    ASSERT_EQ(exact[i], distance) << "pixel " << i;
    ASSERT_EQ(rounded[i], static_cast<float>(distance)) << "pixel " << i;
  }
  if (how.metric != metric::euclidean) return;
  how.type = type::standard;
  how.squared = true;
  const auto squares = distance_transform(f, how, where);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (squares.type() == dtype::f64) {
      ASSERT_EQ(squares.pixels<double>()[i], expected[i]);
    } else {
      const auto far = std::numeric_limits<std::uint32_t>::max();
      ASSERT_EQ(squares.pixels<std::uint32_t>()[i],
                expected[i] == infinity ? far : static_cast<std::uint32_t>(expected[i]));
    }
  }
}

TEST(distance_transform, equals_brute_force) {
  std::mt19937 dice(7);
  for (std::int64_t round = 0; round < scaled(1200); ++round) {
    const auto f = draw_sites(dice);
    auto how = draw_options(dice, f.shape.rank());
    if (dice() % 4 == 0) {  // as far as some pixel is from its site, to the last bit
      how.max_distance = infinity;
      auto one = by_definition(f, how)[dice() % f.pixels.size()];
      if (how.metric == metric::euclidean) one = std::sqrt(one);
      if (one > 0) how.max_distance = one;
    }
    for (const auto* device : {"serial", "cpu"})
      ASSERT_NO_FATAL_FAILURE(expect_distances(f, how, {.device = device}))
          << "round " << round << " on " << device;
  }
}

/// Sites from everywhere to hardly any, in rows of many blocks: some near their sites, some far, some cut off
/// by max_distance.
TEST(distance_transform, wide_images_as_by_the_serial_engine) {
  std::mt19937 dice(17);
  for (std::int64_t round = 0; round < scaled(450); ++round) {
    const std::size_t height = 1 + dice() % 200, width = 60 + dice() % 400;
    binary_image f{{static_cast<std::int64_t>(height), static_cast<std::int64_t>(width)},
                   std::vector<std::uint8_t>(height * width, 1)};
    const std::size_t one_in = 1U << (dice() % 18), from = dice() % width,
                      to = from + dice() % (width - from + 1);
    for (std::size_t i = 0; i < f.pixels.size(); ++i)
      if (i % width >= from && i % width <= to && dice() % one_in == 0) f.pixels[i] = 0;
    options how{.invert = dice() % 8 == 0};
    if (dice() % 3 == 0) how.max_distance = static_cast<double>(1 + dice() % 200);
    const auto same = [&]<class T>(T) {
      ASSERT_EQ(values_of<T>(distance_transform(f, how, {.device = "cpu", .threads = 3})),
                values_of<T>(distance_transform(f, how, {.device = "serial"})))
          << "round " << round;
    };
    same(float{});
    how.type = type::f64;
    same(double{});
    how.type = type::standard;
    how.squared = true;
    same(std::uint32_t{});
  }
}

TEST(distance_transform, known_answer) {
  const binary_image f{{3, 4}, {1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(values_of<std::uint32_t>(distance_transform(f, {.squared = true})),
            (std::vector<std::uint32_t>{2, 1, 2, 5, 1, 0, 1, 4, 2, 1, 2, 5}));
  EXPECT_EQ(values_of<float>(distance_transform(f, {.metric = metric::city_block})),
            (std::vector<float>{2, 1, 2, 3, 1, 0, 1, 2, 2, 1, 2, 3}));
  EXPECT_EQ(values_of<float>(distance_transform(f, {.metric = metric::chessboard})),
            (std::vector<float>{1, 1, 1, 2, 1, 0, 1, 2, 1, 1, 1, 2}));
  EXPECT_EQ(values_of<std::uint32_t>(distance_transform(f, {.spacing = {10, 1}, .squared = true})),
            (std::vector<std::uint32_t>{101, 100, 101, 104, 1, 0, 1, 4, 101, 100, 101, 104}));
}

TEST(distance_transform, signed_is_outside_minus_inside) {
  std::mt19937 dice(8);
  for (std::int64_t round = 0; round < scaled(600); ++round) {
    const auto f = draw_sites(dice);
    auto how = draw_options(dice, f.shape.rank());
    const auto outside = by_definition(f, how);
    how.invert = !how.invert;
    const auto inside = by_definition(f, how);
    how.invert = !how.invert;
    how.is_signed = true;
    for (const auto* device : {"serial", "cpu"}) {
      SCOPED_TRACE("round " + std::to_string(round) + " on " + device);
      how.type = type::f64;
      how.squared = false;
      const auto root = [&](double v) { return how.metric == metric::euclidean ? std::sqrt(v) : v; };
      const auto got = values_of<double>(distance_transform(f, how, {.device = device}));
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], inside[i] > 0 ? -root(inside[i]) : root(outside[i])) << "pixel " << i;
      if (how.metric != metric::euclidean) continue;
      how.type = type::standard;
      how.squared = true;
      const auto squares = distance_transform(f, how, {.device = device});
      if (squares.type() == dtype::f64) continue;
      constexpr auto far = std::numeric_limits<std::int64_t>::max();
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double expected = inside[i] > 0 ? -inside[i] : outside[i];
        ASSERT_EQ(squares.pixels<std::int64_t>()[i], expected == infinity ? far
                                                     : expected == -infinity
                                                         ? -far
                                                         : static_cast<std::int64_t>(expected))
            << "pixel " << i;
      }
    }
  }
}

TEST(distance_transform, indices_and_labels) {
  std::mt19937 dice(9);
  for (std::int64_t round = 0; round < scaled(300); ++round) {
    const auto f = draw_sites(dice);
    for (const auto* device : {"serial", "cpu"}) {
      const context where{.device = device};
      const auto inverted = with_places(f, {{"invert", true}}, where, true);
      EXPECT_TRUE(same_bits(inverted.distances, distance_transform(f, {.invert = true}, where)));
      EXPECT_TRUE(same_bits(inverted.indices, nearest_site(f, {.invert = true}, where)));
      EXPECT_TRUE(same_bits(inverted.labels, nearest_label(f, {}, where)));
      const auto plain = with_places(f, {{"max_distance", number(3)}}, where, false);
      EXPECT_TRUE(same_bits(plain.indices, nearest_site(f, {.max_distance = 3}, where)));
    }
  }
}

TEST(distance_transform, zero_is_zero_of_any_type) {
  const std::vector<float> f{-0.0f, 1e-30f, std::numeric_limits<float>::quiet_NaN(), -1};
  EXPECT_EQ(values_of<float>(distance_transform(const_image_view(f.data(), extents{1, 4}))),
            (std::vector<float>{0, 1, 2, 3}));
}

TEST(distance_transform, refuses) {
  const binary_image f{{2, 3}, std::vector<std::uint8_t>(6, 1)};
  const auto refused = [&](const options& how) {
    return message_of<usage_error>([&] { distance_transform(f, how); });
  };
  EXPECT_EQ(refused({.metric = metric::chessboard, .squared = true}),
            "distance_transform: squared is for the euclidean metric, not for chessboard");
  EXPECT_EQ(
      refused({.spacing = {1, 2, 3}}),
      "distance_transform: spacing has 3 numbers, but the image 2 axes: give one for each, or one for all");
  for (const auto chosen : {type::f32, type::f64})
    EXPECT_EQ(
        refused({.squared = true, .type = chosen}),
        "distance_transform: type does not apply to squared distances: squares have a type of their own");
  EXPECT_EQ(distance_transform(f).type(), dtype::f32);
  EXPECT_EQ(refused({.connectivity = 4}), "distance_transform: connectivity is for method propagation");
  EXPECT_NO_THROW(distance_transform(f, {.connectivity = 8}));  // all neighbours, as by default
  EXPECT_EQ(refused({.spacing = {1, 0}}),
            "spacing: expected numbers greater than 0, separated by commas, got '1,0'");
  EXPECT_EQ(refused({.spacing = {}}),
            "spacing: expected numbers greater than 0, separated by commas, got ''");
  EXPECT_EQ(refused({.metric = metric::city_block, .method = distance_transform_method::propagation}),
            "distance_transform: method propagation is for the euclidean metric, not for city_block");
  const auto refused_places = [&](const arguments& given) {
    return message_of<usage_error>([&] { with_places(f, given, {.device = "cpu"}, true); });
  };
  EXPECT_EQ(refused_places({{"signed", true}, {"invert", true}}),
            "distance_transform: signed distances have no indices or labels");
  EXPECT_EQ(refused_places({}),
            "distance_transform: labels need invert: they are values of pixels that are not zero");
  EXPECT_EQ(refused_places({{"invert", true}, {"method", std::string("propagation")}}),
            "distance_transform: labels need method exact");
  EXPECT_EQ(refused({.max_distance = -1}),
            "max_distance: expected a number greater than 0, or inf, got '-1'");
}

}  // namespace
}  // namespace macareu::test

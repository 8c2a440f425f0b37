#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <macareu/macareu.hpp>

#include "support/same.hpp"

namespace macareu::test {
namespace {

using options = distance_transform_options;
using metric = distance_transform_metric;
using type = distance_transform_type;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct binary_image {
  extents shape;
  std::vector<std::uint8_t> pixels;
  operator const_image_view() const { return {pixels.data(), shape}; }
};

template <class T>
std::vector<T> values_of(const image& result) {
  const auto all = result.pixels<T>();
  return {all.begin(), all.end()};
}

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

binary_image draw(std::mt19937& dice) {
  const auto side = [&](unsigned most) { return static_cast<std::int64_t>(1 + dice() % most); };
  binary_image f;
  f.shape = dice() % 2 ? extents{side(20), side(40)} : extents{side(7), side(8), side(9)};
  f.pixels.resize(static_cast<std::size_t>(f.shape.pixels()));
  const auto one_in = 1 + dice() % (dice() % 3 ? 5 : 100);
  for (auto& pixel : f.pixels) pixel = dice() % one_in == 0 ? 0 : static_cast<std::uint8_t>(1 + dice() % 255);
  return f;
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
  for (int round = 0; round < 400; ++round) {
    const auto f = draw(dice);
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
  for (int round = 0; round < 150; ++round) {
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
  for (int round = 0; round < 200; ++round) {
    const auto f = draw(dice);
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

/// What the optional outputs hold.
struct places {
  image distances, indices, labels;
};

places with_places(const binary_image& f, const arguments& given, const context& where, bool labels) {
  const auto& about = *find_operator("distance_transform");
  places got{image(output_type(about, 0, dtype::u8, f.shape, given), f.shape), image(dtype::i64, f.shape),
             labels ? image(dtype::u8, f.shape) : image()};
  run_operator(about, std::vector<const_image_view>{f},
               std::vector<image_view>{got.distances, got.indices, got.labels}, given, where);
  return got;
}

TEST(distance_transform, indices_and_labels) {
  std::mt19937 dice(9);
  for (int round = 0; round < 100; ++round) {
    const auto f = draw(dice);
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

TEST(distance_transform, no_site_at_all) {
  for (const auto& shape :
       {extents{1, 9}, extents{9, 1}, extents{5, 70}, extents{1, 1, 9}, extents{3, 40, 5}}) {
    const binary_image f{shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.pixels()), 3)};
    for (const auto* device : {"serial", "cpu"}) {
      const context where{.device = device};
      for (const auto value : values_of<float>(distance_transform(f, {}, where)))
        ASSERT_EQ(value, std::numeric_limits<float>::infinity());
      for (const auto value :
           values_of<double>(distance_transform(f, {.spacing = {0.1}, .type = type::f64}, where)))
        ASSERT_EQ(value, infinity);
      for (const auto value : values_of<std::uint32_t>(distance_transform(f, {.squared = true}, where)))
        ASSERT_EQ(value, std::numeric_limits<std::uint32_t>::max());
      for (const auto value : values_of<float>(distance_transform(f, {.invert = true}, where)))
        ASSERT_EQ(value, 0);
    }
  }
}

/// Sides where squares, or their sums, leave 32 bits, and where steps leave 16.
TEST(distance_transform, long_sides) {
  for (const std::int64_t side : {32767, 32768, 32769, 46341, 46342, 65535, 65536, 70001}) {
    for (const auto& shape : {extents{1, side}, extents{side, 1}, extents{1, side, 1}, extents{side, 1, 2}}) {
      binary_image f{shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.pixels()), 1)};
      f.pixels[0] = 0;
      const double far = static_cast<double>(side - 1), beside = shape.pixels() > side ? 1 : 0;
      const auto distances = distance_transform(f, {.type = type::f64}, {.device = "cpu"});
      ASSERT_EQ(distances.pixels<double>().back(), std::sqrt(far * far + beside)) << to_string(shape);
      const auto squares = distance_transform(f, {.squared = true}, {.device = "cpu"});
      const auto expected = static_cast<std::uint64_t>(side - 1) * static_cast<std::uint64_t>(side - 1) +
                            static_cast<std::uint64_t>(beside);
      if (squares.type() == dtype::u32)
        ASSERT_EQ(squares.pixels<std::uint32_t>().back(), expected) << to_string(shape);
      else
        ASSERT_EQ(squares.pixels<std::uint64_t>().back(), expected) << to_string(shape);
      ASSERT_EQ(squares.type(), side <= 65536 ? dtype::u32 : dtype::u64);
    }
  }
}

/// Squares beyond 2^53, which floats round.
TEST(distance_transform, large_spacings) {
  const binary_image f{{1, 2}, {0, 1}};
  for (const char* device : {"serial", "cpu"}) {
    const auto squared = [&](double step) {
      return values_of<std::uint64_t>(
          distance_transform(f, {.spacing = {step}, .squared = true}, {.device = device}))[1];
    };
    EXPECT_EQ(squared(99999999), 9999999800000001u);
    EXPECT_EQ(squared(134217729), 18014398777917441u);
  }
}

/// Every distance of a cube is within itself, and none is within the number before it.
TEST(distance_transform, limits_that_are_distances) {
  binary_image f{{7, 7, 7}, std::vector<std::uint8_t>(343, 1)};
  f.pixels[0] = 0;
  for (const auto by : {metric::euclidean, metric::city_block, metric::chessboard})
    for (const std::vector<number>& spacing :
         {std::vector<number>{1}, {3, 1, 2}, {0.7, 0.1, 1.3}, {1.0 / 3}, {1.0 / 3, 0.7, 1e-3}})
      for (const char* device : {"serial", "cpu"}) {
        const auto found = [&](double most) {
          return values_of<double>(distance_transform(
              f, {.metric = by, .spacing = spacing, .type = type::f64, .max_distance = most},
              {.device = device}));
        };
        const auto all = found(infinity);
        for (const double limit : std::set<double>(all.begin(), all.end())) {
          if (limit == 0) continue;
          const auto within = found(limit), below = found(std::nextafter(limit, 0.0));
          for (std::size_t i = 0; i < all.size(); ++i) {
            ASSERT_EQ(within[i], all[i] <= limit ? all[i] : infinity) << limit << " on " << device;
            ASSERT_EQ(below[i], all[i] < limit ? all[i] : infinity) << limit << " on " << device;
          }
        }
      }
}

/// Rounded once, however many steps of 0.1 or 0.7 there are, of f32, or of thirds in f64, which have no
/// parts. A side of 1 has no steps, whatever its spacing.
TEST(distance_transform, counted_in_integers) {
  const binary_image f{{4, 1, 4}, {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
  for (const char* device : {"serial", "cpu"})
    for (const auto by : {metric::city_block, metric::chessboard}) {
      const auto last = [&](double step, double most) {
        return values_of<double>(distance_transform(f,
                                                    {.metric = by,
                                                     .spacing = {step, std::sqrt(2), step},
                                                     .type = type::f64,
                                                     .max_distance = most},
                                                    {.device = device}))
            .back();
      };
      const double steps = by == metric::city_block ? 6 : 3;
      EXPECT_EQ(last(0.1, infinity), steps / 10);
      EXPECT_EQ(last(0.1, steps / 10), steps / 10);
      EXPECT_EQ(last(0.1, steps / 10 - 0.00001), infinity);
      EXPECT_EQ(last(0.7, 1e300), steps * 7 / 10);
      EXPECT_EQ(last(1e-9, infinity), steps / 1e9);
      EXPECT_EQ(last(0.123456789012345, infinity), steps * 123456789012345 / 1e15);
      EXPECT_EQ(last(0.7f, infinity), steps * static_cast<double>(0.7f));
      EXPECT_EQ(last(1.0 / 3, infinity), steps * (1.0 / 3));
      EXPECT_EQ(last(1e15 + 0.5, infinity), steps * (1e15 + 0.5));
    }
}

/// Steps of a length without parts: sums of 1/3 depend on the way, steps of it do not.
TEST(distance_transform, steps_of_one_length) {
  std::mt19937 dice(13);
  const double step = 1.0 / 3;
  for (int round = 0; round < 40; ++round) {
    const auto f = draw(dice);
    for (const auto by : {metric::city_block, metric::chessboard})
      for (const char* device : {"serial", "cpu"}) {
        const auto steps =
            values_of<double>(distance_transform(f, {.metric = by, .type = type::f64}, {.device = device}));
        const auto found = values_of<double>(
            distance_transform(f, {.metric = by, .spacing = {step}, .type = type::f64}, {.device = device}));
        for (std::size_t i = 0; i < steps.size(); ++i) ASSERT_EQ(found[i], steps[i] * step);
      }
  }
}

/// Volumes with a side of 1 are what their images are: distances, indices and labels.
TEST(distance_transform, sides_of_1) {
  std::mt19937 dice(14);
  for (int round = 0; round < 120; ++round) {
    const std::int64_t height = 1 + dice() % 30, width = 1 + dice() % 90;
    binary_image f{{height, width}, std::vector<std::uint8_t>(static_cast<std::size_t>(height * width))};
    const auto one_in = 1 + dice() % 50;
    for (auto& pixel : f.pixels)
      pixel = dice() % one_in == 0 ? static_cast<std::uint8_t>(1 + dice() % 9) : std::uint8_t{0};
    const std::vector<std::string> metrics{"euclidean", "city_block", "chessboard"};
    const auto by = metrics[dice() % metrics.size()];
    const number along_y = dice() % 2 ? 1 : 0.7, along_x = dice() % 2 ? 1 : 1.3;
    for (std::size_t side = 0; side < 3; ++side) {
      std::vector<std::int64_t> sides{height, width};
      sides.insert(sides.begin() + static_cast<std::ptrdiff_t>(side), 1);
      const binary_image volume{{sides[0], sides[1], sides[2]}, f.pixels};
      std::vector<number> spacing{along_y, along_x}, in_volume = spacing;
      in_volume.insert(in_volume.begin() + static_cast<std::ptrdiff_t>(side), std::sqrt(2));
      for (const char* device : {"serial", "cpu"}) {
        SCOPED_TRACE(to_string(volume.shape) + " by " + by + " on " + device);
        const context where{.device = device};
        const auto expect_same = [&](const image& got, const image& expected) {
          EXPECT_TRUE(same_bits(
              const_image_view(got.data(), got.type(), f.shape, contiguous_strides(f.shape)), expected));
        };
        arguments how{{"metric", by}, {"spacing", spacing}, {"invert", true}}, how_volume = how;
        how_volume["spacing"] = in_volume;
        const auto expected = with_places(f, how, where, true),
                   found = with_places(volume, how_volume, where, true);
        expect_same(found.distances, expected.distances);
        expect_same(found.indices, expected.indices);
        expect_same(found.labels, expected.labels);
        how["signed"] = how_volume["signed"] = true;
        const auto& about = *find_operator("distance_transform");
        expect_same(run_operator(about, std::vector<const_image_view>{volume}, how_volume, where)[0],
                    run_operator(about, std::vector<const_image_view>{f}, how, where)[0]);
      }
    }
  }
}

/// A few sites on long rows: distances that differ from pixel to pixel, against the definition.
TEST(distance_transform, long_rows) {
  std::mt19937 dice(10);
  for (const auto& shape : {extents{1, 100'000}, extents{100'000, 1}, extents{3, 70'000}, extents{70'000, 3},
                            extents{1, 1, 100'000}, extents{2, 50'000, 2}}) {
    binary_image f{shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.pixels()), 1)};
    const auto width = static_cast<std::uint64_t>(shape.width()),
               height = static_cast<std::uint64_t>(shape.height());
    std::vector<std::uint64_t> sites;
    for (int k = 0; k < 4; ++k) f.pixels[sites.emplace_back(dice() % f.pixels.size())] = 0;
    const auto squares = distance_transform(f, {.squared = true}, {.device = "cpu"});
    const auto indices = nearest_site(f, {}, {.device = "cpu"});
    const auto apart = [](std::uint64_t a, std::uint64_t b) { return (a - b) * (a - b); };  // modulo 2^64
    const auto cost = [&](std::uint64_t i, std::uint64_t j) {
      return apart(i % width, j % width) + apart(i / width % height, j / width % height) +
             apart(i / width / height, j / width / height);
    };
    for (std::uint64_t i = 0; i < f.pixels.size(); ++i) {
      auto least = std::numeric_limits<std::uint64_t>::max();
      for (const auto j : sites) least = std::min(least, cost(i, j));
      const auto found = squares.type() == dtype::u32 ? squares.pixels<std::uint32_t>()[i]
                                                      : squares.pixels<std::uint64_t>()[i];
      ASSERT_EQ(found, least) << to_string(shape) << " at " << i;
      ASSERT_EQ(cost(i, static_cast<std::uint64_t>(indices.pixels<std::int64_t>()[i])), least)
          << to_string(shape) << " at " << i;
    }
  }
}

TEST(distance_transform, empty_images) {
  for (const auto& shape : {extents{0, 0}, extents{0, 5}, extents{5, 0}, extents{2, 0, 3}})
    EXPECT_EQ(distance_transform(image(dtype::u8, shape)).shape(), shape);
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
        "distance_transform: type is for distances that are not squared: squares have one of their own");
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
            "distance_transform: labels are those of pixels that are not zero: use invert with them");
  EXPECT_EQ(refused_places({{"invert", true}, {"method", std::string("propagation")}}),
            "distance_transform: labels come with method exact only");
  EXPECT_EQ(refused({.max_distance = -1}),
            "max_distance: expected a number greater than 0, or inf, got '-1'");
}

}  // namespace
}  // namespace macareu::test

// Distances in steps of lengths, and the limits that such distances are held to.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <macareu/macareu.hpp>

#include "operators/distances.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

using metric = distance_transform_metric;
using type = distance_transform_type;

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
  for (std::int64_t round = 0; round < scaled(120); ++round) {
    const auto f = draw_sites(dice);
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

}  // namespace
}  // namespace macareu::test

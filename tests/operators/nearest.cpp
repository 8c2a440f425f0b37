#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include <macareu/macareu.hpp>

#include "operators/distances.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

using label_image = picture<std::uint16_t>;
using metric = nearest_site_metric;

/// By definition: the least distance; of equals the smallest x, of those the nearest along y and z, of those
/// the smallest y, and so on. Squared for the euclidean metric.
std::vector<std::int64_t> by_definition(const label_image& f, metric by, const std::vector<double>& spacing,
                                        double most, bool zeros) {
  const auto height = f.shape.height(), width = f.shape.width();
  std::vector<std::int64_t> found(f.pixels.size(), -1);
  for (std::int64_t i = 0; i < std::ssize(f.pixels); ++i) {
    std::array<double, 6> best{infinity};
    for (std::int64_t x = 0; x < width; ++x)
      for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t z = 0; z < f.shape.depth(); ++z) {
          const auto j = (z * height + y) * width + x;
          if ((f.pixels[static_cast<std::size_t>(j)] == 0) != zeros) continue;
          const std::array<std::int64_t, 3> apart{i / width / height - z, i / width % height - y,
                                                  i % width - x};
          std::array<double, 3> cost{};  // along z; along z and y; along all axes
          for (std::size_t axis = 0; axis < 3; ++axis) {
            const double length = static_cast<double>(std::abs(apart[axis])) * spacing[axis];
            const double before = axis > 0 ? cost[axis - 1] : 0;
            cost[axis] = by == metric::chessboard
                             ? std::max(before, length)
                             : before + (by == metric::euclidean ? length * length : length);
          }
          const std::array key{cost[2], static_cast<double>(x), cost[1], static_cast<double>(y),
                               cost[0], static_cast<double>(z)};
          if (key >= best || (by == metric::euclidean ? std::sqrt(cost[2]) : cost[2]) > most) continue;
          best = key;
          found[static_cast<std::size_t>(i)] = j;
        }
  }
  return found;
}

TEST(nearest_site, equals_brute_force) {
  std::mt19937 dice(11);
  for (std::int64_t round = 0; round < scaled(1800); ++round) {
    const auto side = [&](unsigned most) { return static_cast<std::int64_t>(1 + dice() % most); };
    label_image f;
    f.shape = dice() % 2 ? extents{side(14), side(60)} : extents{side(6), side(7), side(8)};
    f.pixels.resize(static_cast<std::size_t>(f.shape.pixels()));
    const bool zeros = dice() % 2;
    const auto one_in = 1 + dice() % (dice() % 3 ? 6 : 80);
    for (auto& pixel : f.pixels)
      pixel = (dice() % one_in == 0) == zeros ? std::uint16_t{0} : static_cast<std::uint16_t>(1 + dice() % 9);
    // Roots are distances: within them is what is just as far away.
    const double most = dice() % 3 ? infinity : dice() % 2 ? 1 + dice() % 5 : std::sqrt(1 + dice() % 30);
    std::vector<double> spacing(3, 1);
    if (dice() % 2)
      for (auto& s : spacing) s = dice() % 2 ? 1 + dice() % 3 : 0.5 * (1 + dice() % 5);
    const std::vector<number> given(spacing.end() - f.shape.rank(), spacing.end());
    const auto by = static_cast<metric>(dice() % 3);
    const auto expected = by_definition(f, by, spacing, most, zeros);
    for (const auto* device : {"serial", "cpu"}) {
      SCOPED_TRACE("round " + std::to_string(round) + " on " + device);
      const auto places =
          nearest_site(f, {.metric = by, .spacing = given, .invert = !zeros, .max_distance = most},
                       {.device = device, .threads = 2});
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(places.pixels<std::int64_t>()[i], expected[i]) << to_string(f.shape) << " at " << i;
      if (zeros) continue;
      const auto labels = nearest_label(
          f, {.metric = static_cast<nearest_label_metric>(by), .spacing = given, .max_distance = most},
          {.device = device, .threads = 2});
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(labels.pixels<std::uint16_t>()[i],
                  expected[i] < 0 ? 0 : f.pixels[static_cast<std::size_t>(expected[i])]);
    }
  }
}

/// Spacings whose sums are rounded: in decimals many sites are equally far away that are not in f64, and
/// which of them is the first may change from pixel to pixel.
TEST(nearest_site, fractional_spacing_as_by_the_serial_engine) {
  std::mt19937 dice(12);
  const std::vector<double> steps{0.1, 0.3, 0.7, 1.3, 0.7f, 1.0 / 3, 2.0 / 3, 1e-5, 1e5, 0.1 + 1e-16};
  for (std::int64_t round = 0; round < scaled(600); ++round) {
    const auto side = [&](unsigned most) { return static_cast<std::int64_t>(1 + dice() % most); };
    label_image f;
    f.shape = dice() % 3 ? extents{side(60), side(300)} : extents{side(12), side(14), side(40)};
    f.pixels.assign(static_cast<std::size_t>(f.shape.pixels()), 1);
    const auto one_in = 1U << dice() % 12;
    for (auto& pixel : f.pixels)
      if (dice() % one_in == 0) pixel = 0;
    nearest_site_options how{.metric = static_cast<metric>(dice() % 3), .spacing = {}};
    for (int axis = 0; axis < f.shape.rank(); ++axis) how.spacing.push_back(steps[dice() % steps.size()]);
    if (dice() % 4 == 0) how.max_distance = static_cast<double>(1 + dice() % 100) / 4;
    ASSERT_TRUE(same_bits(nearest_site(f, how, {.device = "cpu", .threads = 2}),
                          nearest_site(f, how, {.device = "serial"})))
        << "round " << round << ", " << to_string(f.shape);
  }
}

/// Along a row far below two sites: steps of 1e-5 are lost in the square of 1e5, until 98 of them make a unit
/// in the last place. The second site is nearer for a while, then both have that unit, and the first is taken
/// again.
TEST(nearest_site, a_place_may_be_as_good_again) {
  constexpr std::int64_t width = 300, second = 48;
  label_image f{{2, width}, std::vector<std::uint16_t>(2 * width, 1)};
  f.pixels[0] = f.pixels[second] = 0;
  for (const auto* device : {"serial", "cpu"}) {
    const auto places = nearest_site(f, {.spacing = {1e5, 1e-5}}, {.device = device});
    const auto below = places.pixels<std::int64_t>().subspan(width);
    EXPECT_EQ(below[97], 0) << device;
    EXPECT_EQ(below[98], second) << device;
    EXPECT_EQ(below[second + 97], second) << device;
    EXPECT_EQ(below[second + 98], 0) << device;
  }
}

TEST(nearest_site, no_site_at_all) {
  const label_image ones{{3, 5}, std::vector<std::uint16_t>(15, 1)},
      zeros{{3, 5}, std::vector<std::uint16_t>(15)};
  for (const auto* device : {"serial", "cpu"}) {
    const auto places = nearest_site(ones, {}, {.device = device});
    for (const auto index : places.pixels<std::int64_t>()) EXPECT_EQ(index, -1);
    const auto labels = nearest_label(zeros, {}, {.device = device});
    for (const auto label : labels.pixels<std::uint16_t>()) EXPECT_EQ(label, 0);
  }
}

TEST(nearest_site, refuses) {
  const label_image f{{2, 3}, std::vector<std::uint16_t>(6, 1)};
  EXPECT_EQ(message_of<usage_error>([&] {
              nearest_site(f, {.spacing = {1, 2, 3}});
            }),
            "nearest_site: spacing has 3 numbers, but the image 2 axes: give one for each, or one for all");
}

}  // namespace
}  // namespace macareu::test

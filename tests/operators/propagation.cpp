// Distances by propagation: what is promised on every device and strategy, though results may differ.
#include <gtest/gtest.h>

#include <algorithm>
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

binary_image draw(std::mt19937& dice) {
  const auto side = [&](unsigned most) { return static_cast<std::int64_t>(1 + dice() % most); };
  binary_image f;
  f.shape = dice() % 3 ? extents{side(90), side(90)} : extents{side(12), side(12), side(40)};
  f.pixels.resize(static_cast<std::size_t>(f.shape.pixels()));
  const auto one_in = 2 + dice() % (dice() % 3 ? 40 : 2000);
  for (auto& pixel : f.pixels) pixel = dice() % one_in == 0 ? 0 : 1;
  return f;
}

/// Distance from one pixel to another, squared, whole spacing.
std::int64_t apart(const extents& shape, const std::vector<std::int64_t>& spacing, std::int64_t i,
                   std::int64_t j) {
  const auto width = shape.width(), height = shape.height();
  const auto z = (i / width / height - j / width / height) * spacing[0],
             y = (i / width % height - j / width % height) * spacing[1],
             x = (i % width - j % width) * spacing[2];
  return z * z + y * y + x * x;
}

std::vector<context> everywhere(int rank) {
  std::vector<context> all;
  for (const auto device : devices()) {
    all.push_back({.device = std::string(device), .threads = 2});
    for (const auto strategy : strategies(device, "general_wave"))
      if (rank == 2 || strategy != "diagonal")
        all.push_back({.device = std::string(device), .strategy = std::string(strategy)});
  }
  return all;
}

TEST(propagation, keeps_what_it_promises) {
  std::mt19937 dice(5);
  for (std::int64_t round = 0; round < scaled(360); ++round) {
    const auto f = draw(dice);
    const int rank = f.shape.rank();
    std::vector<std::int64_t> spacing(3, 1);
    if (dice() % 3 == 0)
      for (auto& s : spacing) s = 1 + dice() % 3;
    const std::vector<number> given_spacing(spacing.end() - rank, spacing.end());
    const bool faces = dice() % 2;
    const arguments exact{{"squared", true}, {"spacing", given_spacing}};
    auto given = exact;
    given.emplace("method", std::string("propagation"));
    given.emplace("connectivity", *connectivity::named(faces ? "face" : "full"));
    const auto right = with_places(f, exact, {.device = "cpu"}, false);
    for (const auto& how : everywhere(rank)) {
      SCOPED_TRACE("round " + std::to_string(round) + ", " + to_string(f.shape) + " on " + how.device + ", " +
                   how.strategy);
      const auto got = with_places(f, given, how, false);
      const auto squares = got.distances.pixels<std::uint32_t>(),
                 least = right.distances.pixels<std::uint32_t>();
      const auto indices = got.indices.pixels<std::int64_t>();
      const auto width = f.shape.width(), height = f.shape.height(), depth = f.shape.depth();
      for (std::int64_t i = 0; i < f.shape.pixels(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (indices[at] < 0) {
          ASSERT_EQ(least[at], std::numeric_limits<std::uint32_t>::max()) << "a site was not found at " << i;
          ASSERT_EQ(squares[at], least[at]);
          continue;
        }
        ASSERT_EQ(f.pixels[static_cast<std::size_t>(indices[at])], 0) << "no site at " << i;
        ASSERT_EQ(squares[at], apart(f.shape, spacing, i, indices[at])) << "not its distance at " << i;
        ASSERT_GE(squares[at], least[at]) << "too short at " << i;
        // Nothing proves this bound: it is what propagation has given so far, and a worse result is a reason
        // to look.
        if (spacing == std::vector<std::int64_t>(3, 1)) {
          ASSERT_LE(std::sqrt(squares[at]), std::sqrt(least[at]) + 1) << "at " << i;
        }
        const auto z = i / width / height, y = i / width % height, x = i % width;
        for (std::int64_t dz = -1; dz <= 1; ++dz)
          for (std::int64_t dy = -1; dy <= 1; ++dy)
            for (std::int64_t dx = -1; dx <= 1; ++dx) {
              if (faces && std::abs(dz) + std::abs(dy) + std::abs(dx) > 1) continue;
              if (z + dz < 0 || z + dz >= depth || y + dy < 0 || y + dy >= height || x + dx < 0 ||
                  x + dx >= width)
                continue;
              const auto site =
                  indices[static_cast<std::size_t>(((z + dz) * height + y + dy) * width + x + dx)];
              ASSERT_GE(apart(f.shape, spacing, i, site), squares[at])
                  << "a neighbour of " << i << " has a nearer site";
            }
      }
    }
  }
}

TEST(propagation, cpu_equals_serial) {
  std::mt19937 dice(6);
  for (std::int64_t round = 0; round < scaled(180); ++round) {
    const auto f = draw(dice);
    for (const double step : {1.0, 0.7}) {
      const arguments given{{"method", std::string("propagation")},
                            {"spacing", std::vector<number>{step}},
                            {"signed", false},
                            {"max_distance", round % 3 ? number(infinity) : 9}};
      const auto serial = with_places(f, given, {.device = "serial"}, false),
                 cpu = with_places(f, given, {.device = "cpu", .threads = 3}, false);
      ASSERT_TRUE(same_bits(cpu.distances, serial.distances)) << "round " << round;
      ASSERT_TRUE(same_bits(cpu.indices, serial.indices)) << "round " << round;
    }
  }
}

/// The nearest site of a pixel need not be the nearest of any neighbour. Paper 1 reports errors of up to
/// 0.58579 with 4 neighbours.
TEST(propagation, is_approximate) {
  std::mt19937 dice(1);
  const distance_transform_options how{.type = distance_transform_type::f64,
                                       .method = distance_transform_method::propagation,
                                       .connectivity = 4};
  double most = 0;
  for (std::int64_t round = 0; round < scaled(60); ++round) {
    binary_image f{{96, 96}, std::vector<std::uint8_t>(96 * 96, 1)};
    for (int k = 0; k < 160; ++k) f.pixels[dice() % f.pixels.size()] = 0;
    const auto approximate = distance_transform(f, how),
               exact = distance_transform(f, {.type = distance_transform_type::f64});
    for (std::size_t i = 0; i < f.pixels.size(); ++i)
      most = std::max(most, approximate.pixels<double>()[i] - exact.pixels<double>()[i]);
  }
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 0.58579);
}

TEST(propagation, no_site_and_empty) {
  const distance_transform_options how{.method = distance_transform_method::propagation};
  const binary_image ones{{3, 5}, std::vector<std::uint8_t>(15, 1)};
  for (const auto& where : everywhere(2)) {
    const auto distances = distance_transform(ones, how, where);
    for (const auto value : distances.pixels<float>())
      EXPECT_EQ(value, std::numeric_limits<float>::infinity());
  }
  EXPECT_EQ(distance_transform(image(dtype::u8, extents{0, 4}), how).shape(), (extents{0, 4}));
}

TEST(propagation, strategies_are_its_own) {
  const binary_image f{{3, 5}, std::vector<std::uint8_t>(15, 1)};
  EXPECT_NE(
      message_of<usage_error>([&] { distance_transform(f, {}, {.device = "cpu", .strategy = "queue"}); }),
      "");
}

}  // namespace
}  // namespace macareu::test

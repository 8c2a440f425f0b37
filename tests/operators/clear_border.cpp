#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <macareu/operators.hpp>

#include "support/dice.hpp"

namespace {

using macareu::extents;

std::vector<std::uint8_t> cleared(std::vector<std::uint8_t> pixels, extents shape,
                                  macareu::connectivity near) {
  const auto result =
      macareu::clear_border(macareu::const_image_view(pixels.data(), shape), {.connectivity = near});
  const auto values = result.pixels<std::uint8_t>();
  return {values.begin(), values.end()};
}

TEST(clear_border, keeps_what_lies_inside) {
  const std::vector<std::uint8_t> image{9, 0, 0, 0, 0,  //
                                        9, 0, 7, 0, 0,  //
                                        0, 0, 7, 0, 0,  //
                                        0, 0, 0, 5, 0,  //
                                        0, 0, 0, 0, 5};
  const std::vector<std::uint8_t> face{0, 0, 0, 0, 0,  //
                                       0, 0, 7, 0, 0,  //
                                       0, 0, 7, 0, 0,  //
                                       0, 0, 0, 5, 0,  //
                                       0, 0, 0, 0, 0};
  EXPECT_EQ(cleared(image, {5, 5}, 4), face);
  const std::vector<std::uint8_t> full{
      0, 0, 0, 0, 0,  // the 5 touches the corner diagonally, and the 7 touches the 5
      0, 0, 2, 0, 0,  //
      0, 0, 2, 0, 0,  //
      0, 0, 0, 0, 0,  //
      0, 0, 0, 0, 0};
  EXPECT_EQ(cleared(image, {5, 5}, 8), full);
}

TEST(clear_border, a_plane_touches_its_border_everywhere) {
  EXPECT_EQ(cleared({3, 8, 1}, {1, 3}, 8), (std::vector<std::uint8_t>{0, 0, 0}));
}

TEST(clear_border, differences_saturate) {
  std::vector<std::int8_t> image(9, -128);
  image[4] = 127;
  const auto result = macareu::clear_border(macareu::const_image_view(image.data(), extents{3, 3}));
  EXPECT_EQ(result.pixels<std::int8_t>()[4], 127);
  EXPECT_EQ(result.pixels<std::int8_t>()[0], 0);
}

/// By definition: relax the lowest pixel on the best path to the border until nothing changes.
std::vector<int> brute_force(const std::vector<std::uint8_t>& f, int height, int width) {
  std::vector<int> reached(f.size(), 0);
  const auto at = [&](int y, int x) { return static_cast<std::size_t>(y * width + x); };
  for (bool moved = true; moved;) {
    moved = false;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int best = y == 0 || x == 0 || y == height - 1 || x == width - 1 ? f[at(y, x)] : 0;
        const std::array<std::array<int, 2>, 4> steps{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
        for (const auto& [dy, dx] : steps)
          if (y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width)
            best = std::max(best, std::min<int>(reached[at(y + dy, x + dx)], f[at(y, x)]));
        moved |= best != reached[at(y, x)];
        reached[at(y, x)] = best;
      }
  }
  for (std::size_t i = 0; i < f.size(); ++i) reached[i] = f[i] - reached[i];
  return reached;
}

TEST(clear_border, equals_brute_force) {
  std::mt19937 dice(20);
  for (std::int64_t round = 0; round < macareu::test::scaled(600); ++round) {
    const int height = 1 + static_cast<int>(dice() % 12), width = 1 + static_cast<int>(dice() % 12);
    std::vector<std::uint8_t> image(static_cast<std::size_t>(height * width));
    for (auto& pixel : image) pixel = static_cast<std::uint8_t>(dice() % 6);
    const auto expected = brute_force(image, height, width);
    const auto found = cleared(image, {height, width}, 4);
    ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << "round " << round;
  }
}

}  // namespace

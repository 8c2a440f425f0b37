// Distances in images of unusual shapes: without sites or pixels, with long sides and with sides of 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
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

using type = distance_transform_type;

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

TEST(distance_transform, empty_images) {
  for (const auto& shape : {extents{0, 0}, extents{0, 5}, extents{5, 0}, extents{2, 0, 3}})
    EXPECT_EQ(distance_transform(image(dtype::u8, shape)).shape(), shape);
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

/// Volumes with a side of 1 are what their images are: distances, indices and labels.
TEST(distance_transform, sides_of_1) {
  std::mt19937 dice(14);
  for (std::int64_t round = 0; round < scaled(360); ++round) {
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

}  // namespace
}  // namespace macareu::test

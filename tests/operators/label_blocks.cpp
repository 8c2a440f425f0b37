// Labels whose numbers are known, and blocks of every thickness: one object over everything, checkerboards,
// corridors through all blocks.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <macareu/macareu.hpp>

#include "operators/pictures.hpp"
#include "support/mazes.hpp"

namespace macareu::test {
namespace {

using bytes = picture<std::uint8_t>;

const std::vector<context> contexts{
    {.device = "serial"}, {.device = "cpu", .threads = 1}, {.device = "cpu", .threads = 3}};

std::string describe(const extents& shape, const neighbours& near, const context& how) {
  return to_string(shape) + ", connectivity " + std::to_string(near.count) + " on " + how.device + ", " +
         std::to_string(how.threads) + " threads";
}

bool on_checkerboard(const extents& shape, std::int64_t i) {
  return (i % shape.width() + i / shape.width() % shape.height() + i / shape.width() / shape.height()) % 2 ==
         0;
}

template <class Set>
bytes drawn(const extents& shape, const Set& set) {
  bytes made{shape, {}};
  for (std::int64_t i = 0; i < shape.pixels(); ++i) made.pixels.push_back(static_cast<std::uint8_t>(set(i)));
  return made;
}

/// Noise of every density, then what reaches through all blocks.
std::vector<bytes> pictures_for_blocks(const extents& shape) {
  std::vector<bytes> all;
  dice from(seed_of("pictures_for_blocks", shape.pixels()));
  for (const int density : {1, 3, 4, 5, 6, 9})
    all.push_back(drawn(shape, [&](auto) { return from.below(10) < density ? from.between(1, 3) : 0; }));
  all.push_back(drawn(shape, [](auto) { return 1; }));
  all.push_back(drawn(shape, [&](auto i) { return on_checkerboard(shape, i); }));
  for (const auto& path : {serpentine(shape), serpentine_of_columns(shape), spiral(shape)})
    all.push_back(drawn(shape, [&](auto i) { return path[static_cast<std::size_t>(i)] >= 0; }));
  return all;
}

/// Up to one that is larger than the image.
std::vector<std::int64_t> thicknesses_of(std::int64_t slices) {
  if (share_of_images() < 1) return {1, 2, 3, slices / 2, slices, slices + 1};
  std::vector<std::int64_t> all(static_cast<std::size_t>(slices + 1));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

/// All, or one where few images are tested.
std::vector<label_options> in_turn(const std::vector<label_options>& ways, std::size_t turn) {
  if (share_of_images() >= 1) return ways;
  return {ways[turn % ways.size()]};
}

TEST(label, blocks_of_every_thickness_give_the_whole) {
  const std::vector<label_options> ways{{}, {.values = true}, {.intervals = {{0, 1}, {2, 3}}}};
  std::size_t turn = 0;
  for (const auto& shape : {extents{21, 67}, extents{3, 130}, extents{7, 9, 20}})
    for (const auto& f : pictures_for_blocks(shape)) {
      ++turn;
      for (const auto near : all_neighbours) {
        if (near.rank != shape.rank()) continue;
        for (auto given : in_turn(ways, turn + static_cast<std::size_t>(near.count))) {
          given.connectivity = connectivity(near.count);
          run_report whole;
          const auto expected = label(f.view(), given, {.device = "serial", .report = &whole});
          for (auto how : contexts)
            for (const auto slices : thicknesses_of(shape[0])) {
              run_report report;
              how.report = &report;
              given.blocks = slices;
              ASSERT_TRUE(same_bits(label(f.view(), given, how), expected))
                  << describe(shape, near, how) << ", blocks of " << slices;
              ASSERT_EQ(report.count, whole.count);
            }
        }
      }
    }
}

TEST(label, one_object_over_everything) {
  for (const auto& shape :
       {extents{1, 1}, extents{1, 5000}, extents{5000, 1}, extents{611, 733}, extents{40, 41, 67}})
    for (const auto near : all_neighbours) {
      if (near.rank != shape.rank()) continue;
      const auto f = drawn(shape, [](auto) { return 7; });
      for (const auto& how : contexts)
        for (const auto values : {false, true}) {
          const auto found = label(f.view(), {.connectivity = near.count, .values = values}, how);
          ASSERT_EQ(values_of<std::uint32_t>(found), std::vector<std::uint32_t>(f.pixels.size(), 1))
              << describe(shape, near, how);
          const auto table = measure(found, {}, how);
          ASSERT_EQ(table.rows(), 1U);
          EXPECT_EQ(table["num_pixels"][0].to_double(), static_cast<double>(shape.pixels()));
          EXPECT_EQ(table["euler_number"][0].to_double(), 1);
          EXPECT_EQ(table["extent"][0].to_double(), 1);
        }
    }
}

/// Every pixel is an object of its own with neighbours of faces, and all are one with any others.
TEST(label, checkerboards) {
  for (const auto& shape :
       {extents{2, 2}, extents{3, 1000}, extents{611, 733}, extents{2, 3, 2}, extents{40, 41, 67}})
    for (const auto near : all_neighbours) {
      if (near.rank != shape.rank()) continue;
      const bool apart = near.count == 2 * near.rank;
      const auto f = drawn(shape, [&](auto i) { return on_checkerboard(shape, i); });
      std::vector<std::uint32_t> expected;
      for (std::uint32_t count = 0; const auto set : f.pixels)
        expected.push_back(set == 0 ? 0 : apart ? ++count : 1);
      for (const auto& how : contexts)
        ASSERT_EQ(values_of<std::uint32_t>(label(f.view(), {.connectivity = near.count}, how)), expected)
            << describe(shape, near, how);
    }
}

TEST(label, has_more_than_2_to_the_24_objects) {
  const extents shape{5800, 5800};
  image dots(dtype::u8, shape);
  auto pixels = dots.pixels<std::uint8_t>();
  for (std::int64_t i = 0; i < shape.pixels(); ++i)
    pixels[static_cast<std::size_t>(i)] = on_checkerboard(shape, i);
  for (const auto rows : {number(std::numeric_limits<double>::infinity()), number(1000)}) {
    run_report report;
    const auto result =
        label(dots, {.connectivity = 4, .blocks = rows}, {.device = "cpu", .report = &report});
    EXPECT_EQ(report.count, shape.pixels() / 2);
    EXPECT_GT(report.count, std::int64_t{1} << 24);
    std::uint32_t count = 0;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; const auto number : result.pixels<std::uint32_t>())
      wrong += number != (pixels[i++] != 0 ? ++count : 0);
    EXPECT_EQ(wrong, 0);
    if (share_of_images() < 1) continue;
    label(dots, {.connectivity = 8, .blocks = rows}, {.device = "cpu", .report = &report});
    EXPECT_EQ(report.count, 1);
  }
}

}  // namespace
}  // namespace macareu::test

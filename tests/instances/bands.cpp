// Bands of rows have the bytes of the whole image.
#include <macareu/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

namespace macareu {
namespace {

using bytes = std::vector<std::uint8_t>;

image_region region_of(std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> size) {
  return {.first = first, .size = size};
}

/// The values of a region of whole rows.
template <class T>
std::vector<T> cut(const image& from, const image_region& rows) {
  const auto all = from.pixels<T>();
  std::vector<T> out;
  for (auto z = rows.first[0]; z < rows.first[0] + rows.size[0]; ++z) {
    const auto first = (z * from.shape().height() + rows.first[1]) * from.shape().width() * from.channels();
    out.insert(out.end(), all.begin() + first,
               all.begin() + first + rows.size[1] * rows.size[2] * from.channels());
  }
  return out;
}

/// Draws one instance in regions of `slices` x `rows` x the width, last region first, and compares each.
void expect_bands(const instance_description& d, const extents& shape, std::int64_t slices,
                  std::int64_t rows) {
  SCOPED_TRACE(std::string(d.name) + " " + to_string(shape) + " by " + std::to_string(slices) + ", " +
               std::to_string(rows));
  const generate_options how{.seed = 7, .coverage = 75};
  const auto whole = generate(d.name, shape, how);
  const instance_generator generator(d.name, shape, how);
  for (auto z = (shape.depth() - 1) / slices * slices; z >= 0; z -= slices)
    for (auto y = (shape.height() - 1) / rows * rows; y >= 0; y -= rows) {
      const auto region = region_of({z, y, 0}, {std::min(slices, shape.depth() - z),
                                                std::min(rows, shape.height() - y), shape.width()});
      const auto where = "from row " + std::to_string(y) + " of slice " + std::to_string(z);
      bytes mask(region.pixels() * d.channels, 77), marker(region.pixels(), 77), alone = mask;
      std::vector<std::uint32_t> truth(region.pixels(), 77);
      generator.draw(region, mask.data(), d.marker ? marker.data() : nullptr,
                     d.truth ? truth.data() : nullptr);
      ASSERT_EQ(mask, cut<std::uint8_t>(whole.mask, region)) << "mask " << where;
      if (d.marker) {
        ASSERT_EQ(marker, cut<std::uint8_t>(*whole.marker, region)) << "marker " << where;
      }
      if (d.truth) {
        ASSERT_EQ(truth, cut<std::uint32_t>(*whole.truth, region)) << "truth " << where;
      }
      if (!d.marker && !d.truth) continue;
      generator.draw(region, alone.data());
      ASSERT_EQ(alone, mask) << "alone, " << where;
    }
}

TEST(Bands, OfImagesHaveTheBytesOfTheWhole) {
  for (const auto& d : instances()) {
    if (!d.images) continue;
    for (const std::int64_t rows : {1, 5, 37, 200}) expect_bands(d, {70, 143}, 1, rows);
    for (const std::int64_t rows : {33, 256}) expect_bands(d, {300, 1100}, 1, rows);
  }
}

TEST(Bands, OfVolumesHaveTheBytesOfTheWhole) {
  for (const auto& d : instances()) {
    if (!d.volumes) continue;
    for (const std::int64_t slices : {1, 2, 7})
      for (const std::int64_t rows : {1, 6, 20}) expect_bands(d, {7, 20, 43}, slices, rows);
  }
}

std::string refusal(std::string_view name, const image_region& region, bool with_marker) {
  const instance_generator generator(name, {20, 30});
  bytes mask(600, 77), marker(600, 77);
  try {
    generator.draw(region, mask.data(), with_marker ? marker.data() : nullptr);
  } catch (const usage_error& error) {
    EXPECT_EQ(mask, bytes(600, 77));
    return error.what();
  }
  return "no usage_error";
}

TEST(Bands, OutsideTheImageAreRefused) {
  for (const auto& region : {region_of({0, -1, 0}, {1, 2, 30}), region_of({0, 19, 0}, {1, 2, 30}),
                             region_of({1, 0, 0}, {1, 2, 30}), region_of({0, 0, 0}, {1, -2, 30}),
                             region_of({0, 0, 1}, {1, 2, 30})})
    EXPECT_NE(refusal("flat", region, false).find("reaches beyond an image of 20 x 30"), std::string::npos);
  EXPECT_EQ(refusal("flat", region_of({0, 4, 0}, {1, 2, 29}), false),
            "generate: the region of 1 x 2 x 29 at (0, 4, 0) has no whole rows: 20 x 30 has rows of 30");
}

TEST(Bands, MarkersThatDoNotExistAreRefused) {
  EXPECT_EQ(refusal("chess", region_of({0, 0, 0}, {1, 2, 30}), true), "generate: chess has no marker");
}

TEST(Bands, TruthsThatDoNotExistAreRefused) {
  const instance_generator generator("tissue", {20, 30});
  bytes mask(600, 77);
  std::vector<std::uint32_t> truth(600);
  EXPECT_THROW(generator.draw(region_of({0, 0, 0}, {1, 20, 30}), mask.data(), nullptr, truth.data()),
               usage_error);
  EXPECT_EQ(mask, bytes(600, 77));
}

TEST(Bands, WithoutRowsDrawNothing) {
  for (const auto& d : instances()) {
    if (!d.images) continue;
    std::uint8_t pixel = 77;
    std::uint32_t label = 77;
    instance_generator(d.name, {20, 30})
        .draw(region_of({0, 20, 0}, {1, 0, 30}), &pixel, d.marker ? &pixel : nullptr,
              d.truth ? &label : nullptr);
    EXPECT_EQ(pixel, 77) << d.name;
    EXPECT_EQ(label, 77u) << d.name;
  }
}

/// Windows sampled from a large slide are no copies or mirror images of each other.
TEST(Bands, OfALargeSlideDoNotRepeat) {
  constexpr std::int64_t side = 1 << 18, window = 4096, rows = 8;
  const instance_generator generator("tissue", {side, side}, {.coverage = 100});
  std::set<bytes> seen;
  bytes band(rows * side);
  for (const std::int64_t first : {std::int64_t{0}, side / 4, side / 2 - rows, side / 2, side - rows}) {
    generator.draw(region_of({0, first, 0}, {1, rows, side}), band.data());
    for (std::int64_t left = 0; left < side; left += window) {
      bytes here;
      for (std::int64_t y = 0; y < rows; ++y)
        here.insert(here.end(), band.begin() + y * side + left, band.begin() + y * side + left + window);
      ASSERT_TRUE(seen.insert(here).second) << "row " << first << ", column " << left;
      // Rows in reverse order, columns in reverse order, and both.
      bytes turned(here.rbegin(), here.rend()), upside_down, left_right;
      for (auto y = rows - 1; y >= 0; --y)
        upside_down.insert(upside_down.end(), here.begin() + y * window, here.begin() + (y + 1) * window);
      left_right.assign(upside_down.rbegin(), upside_down.rend());
      for (auto* mirrored : {&turned, &upside_down, &left_right})
        ASSERT_TRUE(seen.insert(std::move(*mirrored)).second) << "row " << first << ", column " << left;
    }
  }
}

}  // namespace
}  // namespace macareu

// Overviews are means, whatever is read at once; tissue and regions lie where they are drawn.
#include "slides/tissue/overview.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include <macareu/generate.hpp>

#include "slides/tissue/regions.hpp"
#include "slides/tissue/tissue.hpp"

namespace macareu::test {
namespace {

image noise(const extents& shape) {
  image pixels(dtype::u8, shape, 3);
  std::mt19937 random(3);
  for (auto& value : pixels.pixels<std::uint8_t>()) value = static_cast<std::uint8_t>(random());
  return pixels;
}

TEST(overview, cells_are_rounded_means) {
  const auto pixels = noise({53, 71});
  const auto all = pixels.pixels<std::uint8_t>();
  const image_region part{{0, 5, 9}, {1, 47, 60}};
  for (const std::int64_t factor : {1, 4, 7, 100})
    for (const std::int64_t memory : {1, 1000, 1 << 20}) {
      const auto found = slides::reduce(*source_of(pixels), 1, part, factor, memory);
      const auto& shape = found.colour.shape();
      ASSERT_EQ(shape, (extents{(47 + factor - 1) / factor, (60 + factor - 1) / factor}));
      for (std::int64_t y = 0; y < shape.height(); ++y)
        for (std::int64_t x = 0; x < shape.width(); ++x)
          for (std::int64_t c = 0; c < 3; ++c) {
            std::int64_t sum = 0, count = 0;
            for (auto row = y * factor; row < std::min((y + 1) * factor, part.size[1]); ++row)
              for (auto column = x * factor; column < std::min((x + 1) * factor, part.size[2]);
                   ++column, ++count)
                sum += all[static_cast<std::size_t>(3 * ((row + 5) * 71 + column + 9) + c)];
            ASSERT_EQ(found.colour
                          .pixels<std::uint8_t>()[static_cast<std::size_t>(3 * (y * shape.width() + x) + c)],
                      (sum + count / 2) / count);
          }
    }
}

TEST(overview, a_level_that_ends_early_repeats_its_last_cells) {
  const auto level = noise({10, 10});  // of 43 x 43 pixels, with a downsample of 4
  const auto found = slides::reduce(*source_of(level), 4, {{0, 0, 0}, {1, 43, 43}}, 4, 1000);
  ASSERT_EQ(found.colour.shape(), (extents{11, 11}));
  const auto from = level.pixels<std::uint8_t>(), to = found.colour.pixels<std::uint8_t>();
  for (std::size_t y = 0; y < 11; ++y)
    for (std::size_t x = 0; x < 11; ++x)
      EXPECT_EQ(to[3 * (11 * y + x)],
                from[3 * (10 * std::min<std::size_t>(y, 9) + std::min<std::size_t>(x, 9))]);
}

TEST(overview, factors_are_multiples) {
  for (const std::int64_t downsample : {1, 2, 4, 16})
    for (const double mpp : {0.1, 0.2528, 0.5, 4.0, 30.0})
      for (const extents& shape : {extents{100, 200}, extents{60000, 117528}}) {
        const auto sizes = slides::sizes_for(shape, mpp, downsample);
        EXPECT_EQ(sizes.picture % downsample, 0);
        EXPECT_EQ(sizes.tissue % sizes.picture, 0);
      }
}

/// Glass of 64 x 80 cells.
slides::overview glass() {
  slides::overview slide{image(dtype::u8, {64, 80}, 3), 32};
  std::ranges::fill(slide.colour.pixels<std::uint8_t>(), std::uint8_t{245});
  return slide;
}

void draw(slides::overview& on, std::int64_t y, std::int64_t x, std::int64_t high, std::int64_t wide,
          const std::array<std::uint8_t, 3>& colour) {
  const auto pixels = on.colour.pixels<std::uint8_t>();
  for (auto row = y; row < y + high; ++row)
    for (auto column = x; column < x + wide; ++column)
      std::ranges::copy(colour, &pixels[static_cast<std::size_t>(3 * (row * 80 + column))]);
}

constexpr std::array<std::uint8_t, 3> leaf{70, 140, 50}, blue_ink{40, 60, 170}, pink{226, 150, 200};

TEST(tissue, glass_and_pens_on_it_are_a_slide) {
  auto slide = glass();
  EXPECT_FALSE(slides::why_no_slide(slide));
  for (std::int64_t i = 0; i < 4; ++i) draw(slide, 12 + 12 * i, 8, 3, 64, blue_ink);
  EXPECT_FALSE(slides::why_no_slide(slide));  // a slide without tissue
  draw(slide, 30, 30, 6, 6, pink);
  EXPECT_FALSE(slides::why_no_slide(slide));
}

TEST(tissue, other_colours_on_white_are_no_slide) {
  auto slide = glass();
  draw(slide, 12, 16, 40, 44, leaf);
  const auto why = slides::why_no_slide(slide);
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "100 % of its saturated pixels have colours that no stain has");
  draw(slide, 12, 16, 40, 30, pink);
  EXPECT_FALSE(slides::why_no_slide(slide));  // more of it is stained
}

TEST(tissue, a_generated_slide_is_a_slide) {
  const auto made = generate("slide", {1500, 2000}, {.seed = 3});
  for (const std::int64_t factor : {8, 32}) {
    const auto slide =
        slides::reduce(*source_of(made.mask), 1, {{0, 0, 0}, {1, 1500, 2000}}, factor, 1 << 20);
    EXPECT_FALSE(slides::why_no_slide(slide)) << factor;
  }
}

TEST(regions, holes_and_several_polygons) {
  const slides::region square{"a",
                              {{{0, 0}, {10, 0}, {10, 10}, {0, 10}},
                               {{2, 2}, {2, 4}, {4, 4}, {4, 2}},
                               {{20, 0}, {22, 0}, {22, 2}, {20, 2}}}};
  EXPECT_DOUBLE_EQ(square.area(), 100 - 4 + 4);
  EXPECT_TRUE(square.contains({5, 5}));
  EXPECT_FALSE(square.contains({3, 3}));
  EXPECT_TRUE(square.contains({21, 1}));
  EXPECT_FALSE(square.contains({15, 1}));
  EXPECT_EQ(slides::box_of({square}, {100, 21}), (image_region{{0, 0, 0}, {1, 10, 21}}));
  image all(dtype::boolean, {3, 6});
  std::ranges::fill(all.pixels<bool>(), true);
  const tissue_mask tissue{std::move(all), 4};
  const image_region part{{0, 0, 0}, {1, 12, 24}};
  const auto inside = slides::inside_regions(tissue, 2, part, part, {square}, 0);
  const auto pixels = inside.mask.pixels<bool>();
  ASSERT_EQ(inside.mask.shape(), (extents{6, 12}));
  for (std::int64_t y = 0; y < 6; ++y)
    for (std::int64_t x = 0; x < 12; ++x)
      EXPECT_EQ(pixels[static_cast<std::size_t>(y * 12 + x)],
                square.contains({static_cast<double>(2 * x + 1), static_cast<double>(2 * y + 1)}))
          << y << " " << x;
}

TEST(regions, box_and_reach) {
  image all(dtype::boolean, {5, 8});
  std::ranges::fill(all.pixels<bool>(), true);
  all.pixels<bool>()[2 * 8 + 3] = false;  // the cell from (12, 8) to (16, 12)
  const tissue_mask tissue{std::move(all), 4};
  const image_region part{{0, 2, 2}, {1, 18, 30}}, box{{0, 6, 10}, {1, 6, 8}};
  const auto inside = slides::inside_regions(tissue, 1, part, box, {}, 0);
  const auto near = slides::inside_regions(tissue, 1, part, box, {}, 3);
  for (std::int64_t y = 0; y < 18; ++y)
    for (std::int64_t x = 0; x < 30; ++x) {
      const auto at_y = y + 2, at_x = x + 2;
      const bool is_tissue = !(at_y >= 8 && at_y < 12 && at_x >= 12 && at_x < 16);
      const auto i = static_cast<std::size_t>(y * 30 + x);
      const bool in_box = at_y >= 6 && at_y < 12 && at_x >= 10 && at_x < 18;
      ASSERT_EQ(inside.mask.pixels<bool>()[i], in_box && is_tissue) << at_y << " " << at_x;
      ASSERT_EQ(near.mask.pixels<bool>()[i] && in_box, in_box && is_tissue) << at_y << " " << at_x;
    }
  EXPECT_TRUE(near.mask.pixels<bool>()[static_cast<std::size_t>((4 - 2) * 30 + 12 - 2)]);
  EXPECT_FALSE(near.mask.pixels<bool>()[static_cast<std::size_t>((2 - 2) * 30 + 12 - 2)]);
}

}  // namespace
}  // namespace macareu::test

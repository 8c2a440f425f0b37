#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <macareu/macareu.hpp>
#include <macareu/nuclei.hpp>

#include "slides/drawn_slide.hpp"
#include "support/same.hpp"
#include "support/thread_ranks.hpp"

namespace macareu::test {
namespace {

constexpr double mpp = 0.25;

image in_pieces(const image& rgb, const tissue_mask* tissue, const piece_options& pieces, int threads,
                const nuclei_options& options = {}, nuclei_report* report = nullptr) {
  image labels(dtype::u32, rgb.shape());
  const auto from = source_of(rgb);
  const auto to = sink_to(labels);
  find_nuclei(*from, tissue, mpp, *to, options, {.device = "cpu", .threads = threads}, pieces, report);
  return labels;
}

double f1_of(const image& truth, const image& found) {
  const std::vector<const_image_view> images{truth, found};
  const auto scores = compute_table(*find_operator("evaluate"), images);
  return scores["f1"][0].to_double();
}

TEST(nuclei, are_found_where_they_were_drawn) {
  dice from(1);
  const auto slide = draw_slide(from, 420, 500, 60);
  nuclei_report report;
  const auto found = find_nuclei(slide.rgb, mpp, {}, {}, &report);
  EXPECT_GT(f1_of(slide.truth, found), 0.9);
  EXPECT_EQ(report.count, std::ranges::max(found.pixels<std::uint32_t>()));
  EXPECT_GT(report.threshold, 0.1);
  EXPECT_FALSE(report.seconds.empty());
}

/// Every second nucleus is positive: brown, without any haematoxylin that could be unmixed.
TEST(nuclei, with_dab_are_found_where_they_are_brown) {
  dice from(10);
  auto slide = draw_slide(from, 420, 500, 60);
  const auto truth = slide.truth.pixels<std::uint32_t>();
  auto rgb = slide.rgb.pixels<std::uint8_t>();
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (truth[i] % 2 == 1) {
      const int noise = rgb[3 * i] - 95;
      const int brown[3]{120, 75, 40};
      for (std::size_t c = 0; c < 3; ++c) rgb[3 * i + c] = static_cast<std::uint8_t>(brown[c] + noise);
    }
  nuclei_options options;
  options.stain_set = "h-dab";
  EXPECT_GT(f1_of(slide.truth, find_nuclei(slide.rgb, mpp, options)), 0.9);
}

TEST(nuclei, are_numbered_by_first_pixels) {
  dice from(2);
  const auto slide = draw_slide(from, 300, 300, 30);
  const auto found = find_nuclei(slide.rgb, mpp);
  std::uint32_t seen = 0;
  for (const auto label : found.pixels<std::uint32_t>()) {
    ASSERT_LE(label, seen + 1);
    seen = std::max(seen, label);
  }
  EXPECT_GT(seen, 10U);
}

TEST(nuclei, are_the_same_in_pieces_and_with_other_threads) {
  dice from(3);
  for (int round = 0; round < 3; ++round) {
    const auto slide = draw_slide(from, from.between(90, 260), from.between(90, 260), 25);
    const auto expected = find_nuclei(slide.rgb, mpp, {}, {.device = "cpu", .threads = 1});
    EXPECT_TRUE(same_bits(find_nuclei(slide.rgb, mpp, {}, {.device = "cpu", .threads = 2}), expected));
    EXPECT_TRUE(same_bits(find_nuclei(slide.rgb, mpp, {}, {.device = "serial"}), expected));
    for (const std::int64_t size : {64, 101, 1000})
      for (const int threads : {1, 2}) {
        piece_options pieces;
        pieces.size = {0, size, size + 5};
        EXPECT_TRUE(same_bits(in_pieces(slide.rgb, nullptr, pieces, threads), expected)) << size;
      }
  }
}

TEST(nuclei, are_the_same_in_pieces_by_memory) {
  dice from(4);
  const auto slide = draw_slide(from, 400, 300, 50);
  piece_options pieces;
  pieces.memory = 4 << 20;
  nuclei_report report;
  const auto found = in_pieces(slide.rgb, nullptr, pieces, 2, {}, &report);
  EXPECT_TRUE(same_bits(found, find_nuclei(slide.rgb, mpp)));
  EXPECT_GT(report.scratch_bytes, 0);
}

/// A drawn slide, several times beside each other and below.
image repeated(const image& tile, std::int64_t times) {
  const auto height = tile.shape().height(), row = 3 * tile.shape().width();
  image all(dtype::u8, {times * height, times * tile.shape().width()}, 3);
  const auto* const from = tile.pixels<std::uint8_t>().data();
  auto* to = all.pixels<std::uint8_t>().data();
  for (std::int64_t y = 0; y < times * height; ++y)
    for (std::int64_t i = 0; i < times; ++i, to += row) std::copy_n(from + y % height * row, row, to);
  return all;
}

/// More memory than for pieces alone: parts are found in boxes of whole objects.
TEST(nuclei, are_the_same_in_boxes_by_memory) {
  dice from(9);
  const auto rgb = repeated(draw_slide(from, 430, 431, 90).rgb, 4);
  nuclei_report whole;
  const auto expected = find_nuclei(rgb, mpp, {}, {.device = "cpu"}, &whole);
  EXPECT_EQ(whole.boxes, 0);
  piece_options pieces;
  pieces.memory = 100 << 20;
  for (const int threads : {1, 3}) {
    nuclei_report report;
    EXPECT_TRUE(same_bits(in_pieces(rgb, nullptr, pieces, threads, {}, &report), expected)) << threads;
    EXPECT_GT(report.boxes, 4) << threads;
    EXPECT_EQ(report.count, whole.count);
  }
}

TEST(nuclei, noise_in_pieces) {
  dice from(5);
  image rgb(dtype::u8, {150, 170}, 3);
  for (auto& value : rgb.pixels<std::uint8_t>()) value = static_cast<std::uint8_t>(from.below(256));
  const auto expected = find_nuclei(rgb, mpp);
  for (const std::int64_t size : {50, 83}) {
    piece_options pieces;
    pieces.size = {0, size, size};
    EXPECT_TRUE(same_bits(in_pieces(rgb, nullptr, pieces, 2), expected)) << size;
  }
}

/// Outside the tissue nothing is found, and what lies there changes nothing.
TEST(nuclei, stay_inside_the_tissue) {
  dice from(6);
  auto slide = draw_slide(from, 240, 320, 40);
  tissue_mask tissue{image(dtype::boolean, {15, 20}), 16};
  auto mask = tissue.mask.pixels<bool>();
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 20 < 12;
  piece_options pieces;
  pieces.size = {0, 100, 100};
  const auto found = in_pieces(slide.rgb, &tissue, pieces, 2);
  const auto labels = found.pixels<std::uint32_t>();
  for (std::size_t i = 0; i < labels.size(); ++i) ASSERT_TRUE(i % 320 < 12 * 16 + 16 || labels[i] == 0);
  EXPECT_GT(std::ranges::max(labels), 10U);
  auto rgb = slide.rgb.pixels<std::uint8_t>();
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (i % 320 >= 12 * 16) rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = 0;
  EXPECT_TRUE(same_bits(in_pieces(slide.rgb, &tissue, {}, 1), found));
}

/// Two parts of a slide side by side: numbers follow the rows of the slide, whether parts are computed in
/// memory, one after another with work files, or in pieces.
TEST(nuclei, of_several_parts_are_numbered_together) {
  dice from(7);
  auto slide = draw_slide(from, 200, 900, 90);
  tissue_mask tissue{image(dtype::boolean, {13, 57}), 16};
  auto mask = tissue.mask.pixels<bool>();
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 57 < 15 || i % 57 >= 44;
  nuclei_options options;
  options.local = 4;  // a halo that keeps the parts apart
  const auto expected = in_pieces(slide.rgb, &tissue, {}, 2, options);
  std::uint32_t seen = 0;
  bool left = false, right = false;
  const auto labels = expected.pixels<std::uint32_t>();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ASSERT_LE(labels[i], seen + 1);
    seen = std::max(seen, labels[i]);
    (i % 900 < 450 ? left : right) |= labels[i] != 0;
  }
  EXPECT_TRUE(left && right);
  piece_options pieces;
  pieces.size = {0, 120, 160};
  EXPECT_TRUE(same_bits(in_pieces(slide.rgb, &tissue, pieces, 1, options), expected));
  pieces.size = {};
  pieces.memory = 12 << 20;  // for one part
  EXPECT_TRUE(same_bits(in_pieces(slide.rgb, &tissue, pieces, 2, options), expected));
}

TEST(nuclei, are_the_same_on_ranks) {
  dice from(8);
  const auto slide = draw_slide(from, 300, 700, 90);
  tissue_mask tissue{image(dtype::boolean, {19, 44}), 16};
  auto mask = tissue.mask.pixels<bool>();
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 44 < 15 || i % 44 >= 33;
  nuclei_options options;
  options.local = 4;
  nuclei_report alone;
  const auto expected = in_pieces(slide.rgb, &tissue, {}, 1, options, &alone);
  ASSERT_GT(alone.count, 20U);
  for (const int size : {2, 3, 5}) {
    image labels(dtype::u32, slide.rgb.shape());
    std::ranges::fill(labels.pixels<std::uint32_t>(), 99U);
    const auto errors = on_ranks(size, [&](ranks& all) {
      piece_options pieces;
      pieces.shared_by = &all;
      if (size == 3) pieces.size = {0, 64, 80};
      nuclei_report report;
      find_nuclei(*source_of(slide.rgb), &tissue, mpp, *sink_to(labels), options,
                  {.device = "cpu", .threads = 1}, pieces, &report);
      EXPECT_EQ(report.count, alone.count);
      EXPECT_EQ(report.white, alone.white);
      EXPECT_EQ(report.threshold, alone.threshold);
    });
    EXPECT_EQ(std::ranges::count(errors, nullptr), size);
    EXPECT_TRUE(same_bits(labels, expected)) << size;
  }
}

TEST(nuclei, none_on_glass) {
  image rgb(dtype::u8, {60, 70}, 3);
  std::ranges::fill(rgb.pixels<std::uint8_t>(), std::uint8_t{240});
  nuclei_report report;
  const auto found = find_nuclei(rgb, mpp, {}, {}, &report);
  EXPECT_EQ(report.count, 0U);
  EXPECT_EQ(std::ranges::max(found.pixels<std::uint32_t>()), 0U);
  piece_options pieces;
  pieces.size = {0, 32, 32};
  EXPECT_TRUE(same_bits(in_pieces(rgb, nullptr, pieces, 1), found));
}

/// Stain, but no object of it that is large enough.
TEST(nuclei, none_where_all_is_too_small) {
  image rgb(dtype::u8, {150, 130}, 3);
  auto pixels = rgb.pixels<std::uint8_t>();
  std::ranges::fill(pixels, std::uint8_t{240});
  for (std::size_t i = 0; i < pixels.size() / 3; i += 977) pixels[3 * i] = pixels[3 * i + 1] = 40;
  nuclei_report report;
  const auto found = find_nuclei(rgb, mpp, {}, {}, &report);
  EXPECT_GT(report.threshold, 0);
  EXPECT_EQ(std::ranges::max(found.pixels<std::uint32_t>()), 0U);
  for (const std::int64_t size : {0, 60}) {
    piece_options pieces;
    pieces.size = {0, size, size};
    pieces.memory = 1 << 20;
    EXPECT_TRUE(same_bits(in_pieces(rgb, nullptr, pieces, 2), found)) << size;
  }
}

TEST(nuclei, refuse_what_is_no_slide) {
  const image grey(dtype::u8, {5, 5});
  EXPECT_THROW(find_nuclei(grey, mpp), usage_error);
  const image rgb(dtype::u8, {5, 5}, 3);
  EXPECT_THROW(find_nuclei(rgb, 0), usage_error);
  nuclei_options options;
  options.stain_set = "h-x";
  EXPECT_THROW(find_nuclei(rgb, mpp, options), usage_error);
  options = {};
  options.white = {240};
  EXPECT_THROW(find_nuclei(rgb, mpp, options), usage_error);
}

TEST(nuclei, empty_images_have_none) {
  const image rgb(dtype::u8, {0, 7}, 3);
  EXPECT_EQ(find_nuclei(rgb, mpp).shape(), (extents{0, 7}));
}

}  // namespace
}  // namespace macareu::test

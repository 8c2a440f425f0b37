// What recipes are made of: counts of values, work files, and local steps in boxes.
#include "slides/steps/step_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include <macareu/operators.hpp>

#include "core/coding/coded_image.hpp"
#include "slides/nuclei/nuclei_recipe.hpp"
#include "slides/steps/count_values.hpp"
#include "slides/tissue/tissue_parts.hpp"
#include "support/dice.hpp"

namespace macareu::slides {
namespace {

using test::dice;

TEST(value_counts, percentiles_lie_between_values) {
  const value_counts counts{0, 1, 0, 1, 2};  // 1 3 4 4
  EXPECT_DOUBLE_EQ(percentile(counts, 0), 1);
  EXPECT_DOUBLE_EQ(percentile(counts, 50), 3.5);
  EXPECT_DOUBLE_EQ(percentile(counts, 100), 4);
  EXPECT_DOUBLE_EQ(percentile({}, 50), 0);
}

TEST(value_counts, otsu_separates_two_heaps) {
  value_counts counts(1000);
  counts[100] = 50;
  counts[110] = 30;
  counts[700] = 20;
  counts[990] = 1;
  const double threshold = otsu_threshold(counts, 700);
  EXPECT_GT(threshold, 110);
  EXPECT_LT(threshold, 700);
  const auto means = means_beside(counts, threshold);
  EXPECT_DOUBLE_EQ(means.lower, 103.75);
  EXPECT_DOUBLE_EQ(means.upper, (20 * 700.0 + 990) / 21);
  EXPECT_EQ(otsu_threshold({0, 0, 7}, 1e9), 2);
}

TEST(value_counts, channels_are_counted_apart) {
  const std::vector<std::uint8_t> pixels{7, 0, 7, 9, 1, 9, 7, 0, 3, 7, 1, 7};
  const extents shape{2, 2};
  const const_image_view view(pixels.data(), dtype::u8, shape, contiguous_strides(shape, 3), 3);
  std::vector<value_counts> counts(3, value_counts(256));
  count_values<std::uint8_t>(view, counts);
  EXPECT_EQ(counts[0][7], 3);
  EXPECT_EQ(counts[0][9], 1);
  EXPECT_EQ(counts[1][0], 2);
  EXPECT_EQ(counts[1][1], 2);
  EXPECT_EQ(counts[2][3], 1);
  EXPECT_EQ(counts[2][7], 2);
}

TEST(coded_image, keeps_pixels_and_is_small_for_runs) {
  dice from(1);
  for (const auto type : {dtype::boolean, dtype::u16, dtype::u32}) {
    const auto bytes = static_cast<std::int64_t>(size_of(type));
    const auto before = coded_file::all().now.load();
    coded_image file({type, {150, 97}}, {});
    std::vector<std::uint8_t> all(static_cast<std::size_t>(150 * 97 * bytes));
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = from.once_in(40) ? static_cast<std::uint8_t>(from.below(2)) : i > 0 ? all[i - 1] : 0;
    const auto box = [&](const image_region& where) {
      std::vector<std::uint8_t> pixels;
      for (auto y = where.first[1]; y < where.first[1] + where.size[1]; ++y) {
        const auto first = all.begin() + (y * 97 + where.first[2]) * bytes;
        pixels.insert(pixels.end(), first, first + where.size[2] * bytes);
      }
      return pixels;
    };
    for (const std::int64_t y : {0, 100})
      for (const std::int64_t x : {0, 60}) {
        const image_region part{{0, y, x}, {1, y == 0 ? 100 : 50, x == 0 ? 60 : 37}};
        file.write(part, box(part).data());
      }
    for (int round = 0; round < 20; ++round) {
      image_region part{{0, from.below(150), from.below(97)}, {1, 1, 1}};
      part.size[1] = from.between(1, 150 - part.first[1]);
      part.size[2] = from.between(1, 97 - part.first[2]);
      std::vector<std::uint8_t> got(static_cast<std::size_t>(part.pixels() * bytes));
      file.read(part, got.data());
      ASSERT_EQ(got, box(part));
    }
    const auto used = coded_file::all().now - before;
    EXPECT_GT(used, 0);
    EXPECT_LT(used, static_cast<std::int64_t>(all.size()));
  }
}

TEST(tissue_parts, are_grown_and_joined) {
  tissue_mask tissue{image(dtype::boolean, {10, 30}), 8};
  std::ranges::fill(tissue.mask.pixels<bool>(), false);
  EXPECT_TRUE(tissue_parts({80, 240}, &tissue, 5, 4).empty());
  for (const std::size_t cell : {2 * 30 + 3, 3 * 30 + 4, 2 * 30 + 20, 4 * 30 + 22})
    tissue.mask.pixels<bool>()[cell] = true;
  // The first two touch; rectangles of the last two overlap with a halo of 10.
  const std::vector<image_region> near{{{0, 4, 12}, {1, 40, 40}}, {{0, 4, 148}, {1, 48, 48}}};
  EXPECT_EQ(tissue_parts({80, 240}, &tissue, 10, 4), near);
  EXPECT_EQ(tissue_parts({80, 240}, &tissue, 1000, 4), std::vector{whole_of({80, 240})});
  EXPECT_EQ(tissue_parts({80, 240}, nullptr, 5, 4), std::vector{whole_of({80, 240})});
}

/// A chain of local steps gives the same pixels in any box.
TEST(steps, boxes_of_local_steps_are_those_of_the_whole) {
  dice from(2);
  image f(dtype::u16, {90, 75});
  for (auto& value : f.pixels<std::uint16_t>()) value = static_cast<std::uint16_t>(from.below(60000));
  const step_runner on(context{});
  const auto smooth =
      on.local("gaussian", {{"sigma", std::vector<number>{2}}}, {on.picture_of(f)}, {.margin = 8})[0];
  const auto slopes = on.local("sobel", {}, {smooth}, {.margin = 1})[0];
  const std::vector wanted{slopes, smooth};
  const auto whole = on.read(wanted, whole_of(f.shape()));
  for (int round = 0; round < 20; ++round) {
    image_region part{{0, from.below(90), from.below(75)}, {1, 1, 1}};
    part.size[1] = from.between(1, 90 - part.first[1]);
    part.size[2] = from.between(1, 75 - part.first[2]);
    const auto got = on.read(wanted, part);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto a = copy_of(got[i].pixels), b = copy_of(whole[i].part(part).pixels);
      ASSERT_TRUE(std::ranges::equal(a.pixels<float>(), b.pixels<float>()));
    }
  }
  EXPECT_GE(on.bytes_per_pixel(wanted), 8);
}

/// Large boxes are computed in blocks.
TEST(steps, blocks_are_those_of_the_whole) {
  dice from(3);
  image f(dtype::u16, {1100, 1300});
  for (auto& value : f.pixels<std::uint16_t>()) value = static_cast<std::uint16_t>(from.below(60000));
  const step_runner on(context{.device = "cpu", .threads = 2});
  const auto smooth =
      on.local("gaussian", {{"sigma", std::vector<number>{2}}}, {on.picture_of(f)}, {.margin = 8})[0];
  const auto half = on.local("reduce", {}, {smooth}, {.shrink = 2})[0];
  const auto same =
      on.local("enlarge", {{"size", std::vector<number>{1100, 1300}}}, {half}, {.margin = 1, .grow = 2})[0];
  const std::vector wanted{same, smooth};
  const auto whole = on.read(wanted, whole_of(f.shape()));
  for (const image_region& part :
       {image_region{{0, 900, 900}, {1, 200, 400}}, image_region{{0, 301, 7}, {1, 799, 1021}}}) {
    const auto got = on.read(wanted, part);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto a = copy_of(got[i].pixels), b = copy_of(whole[i].part(part).pixels);
      ASSERT_TRUE(std::ranges::equal(a.pixels<float>(), b.pixels<float>()));
    }
  }
}

/// Pictures that are kept together are those that are kept alone.
TEST(steps, several_are_kept_in_one_pass) {
  dice from(3);
  image f(dtype::u16, {70, 55});
  for (auto& value : f.pixels<std::uint16_t>()) value = static_cast<std::uint16_t>(from.below(60000));
  const auto kept = [&](step_runner& on) {
    const auto given = on.picture_of(f);
    const auto smooth = on.local("gaussian", {{"sigma", std::vector<number>{2}}}, {given}, {.margin = 8})[0];
    return on.keep({given, smooth, on.local("sobel", {}, {smooth}, {.margin = 1})[0]});
  };
  piece_options pieces;
  pieces.size = {0, 20, 30};
  step_runner in_memory(context{}), in_pieces(context{}, pieces, true, 1 << 20);
  const auto expected = kept(in_memory), got = kept(in_pieces);
  ASSERT_EQ(got.size(), 3U);
  EXPECT_FALSE(got[0].from->file);
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_FALSE(got[i].from->about);
    std::vector<std::byte> pixels[2];
    for (const auto* on : {&in_memory, &in_pieces}) {
      const auto& of = on == &in_memory ? expected[i] : got[i];
      auto& to = pixels[on == &in_pieces];
      to.resize(static_cast<std::size_t>(f.shape().pixels()) * size_of(of.form().type));
      on->read(of, whole_of(f.shape()), to.data());
    }
    EXPECT_EQ(pixels[0], pixels[1]) << i;
  }
}

/// Images of 2^32 pixels have labels of u64, but readers of labels expect u32.
TEST(steps, wide_labels_become_narrow) {
  dice from(5);
  image wide(dtype::u64, {70, 55}), narrow(dtype::u32, {70, 55});
  for (std::size_t i = 0; i < 70 * 55; ++i) {
    narrow.pixels<std::uint32_t>()[i] = static_cast<std::uint32_t>(from.below(std::int64_t{1} << 32));
    wide.pixels<std::uint64_t>()[i] = narrow.pixels<std::uint32_t>()[i];
  }
  piece_options pieces;
  pieces.size = {0, 20, 30};
  for (const bool in_pieces : {false, true}) {
    steps on = in_pieces ? steps({}, pieces) : steps();
    const auto found = labels_in_u32(on, on.picture_of(wide));
    ASSERT_EQ(found.form().type, dtype::u32);
    std::vector<std::uint32_t> got(70 * 55);
    on.read(found, whole_of(wide.shape()), got.data());
    EXPECT_TRUE(std::ranges::equal(got, narrow.pixels<std::uint32_t>()));
    const auto given = on.picture_of(narrow);
    EXPECT_EQ(labels_in_u32(on, given).from, given.from);
  }
}

/// Labels of a mask by boxes of whole objects: those of the whole, with other numbers.
TEST(steps, objects_are_the_same_in_boxes) {
  dice from(4);
  for (int round = 0; round < 6; ++round) {
    image mask(dtype::boolean, {from.between(40, 330), from.between(40, 330)});
    const auto once = from.between(2, 5);  // few and small objects, up to some that cross many boxes
    for (auto& value : mask.pixels<bool>()) value = from.once_in(once);
    piece_options pieces;
    pieces.size = {0, from.between(20, 90), from.between(20, 90)};
    for (const int threads : {1, 2}) {
      step_runner on({.device = "cpu", .threads = threads}, pieces, true, 1 << 20);
      const auto given = on.picture_of(mask);
      std::atomic<int> boxes = 0;
      const auto found = on.by_objects(given, {given}, [&](steps& inside, const std::vector<picture>& of) {
        ++boxes;
        return inside.whole("label", {{"connectivity", connectivity(8)}}, of);
      });
      ASSERT_TRUE(found);
      EXPECT_GT(boxes, 1);
      const image expected = label(mask, {.connectivity = 8});
      const auto want = expected.pixels<std::uint32_t>();
      std::vector<std::uint32_t> got(want.size());
      on.read(found, whole_of(mask.shape()), got.data());
      std::map<std::uint32_t, std::uint32_t> numbers, back;
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i] == 0, want[i] == 0);
        ASSERT_EQ(numbers.try_emplace(got[i], want[i]).first->second, want[i]);
        ASSERT_EQ(back.try_emplace(want[i], got[i]).first->second, got[i]);
      }
      EXPECT_EQ(on.count(), std::ranges::max(want));
      EXPECT_EQ(std::ranges::max(got), std::ranges::max(want));
    }
  }
}

/// Each of them would compute the whole object.
TEST(steps, objects_that_many_cores_share_are_left_to_pieces) {
  image mask(dtype::boolean, {1000, 1100});
  const auto pixels = mask.pixels<bool>();
  std::ranges::fill(pixels, false);
  const auto find = [](steps& inside, const std::vector<picture>& of) {
    return inside.whole("label", {}, of);
  };
  piece_options pieces;
  pieces.size = {0, 100, 100};
  step_runner on({.device = "cpu", .threads = 2}, pieces, true, 1 << 20);
  const auto given = on.picture_of(mask);
  const auto draw = [&](std::size_t from, std::size_t end) {
    for (auto i = from; i < end; ++i) pixels[500 * 1100 + i] = pixels[i * 1100 + 500] = true;
  };
  draw(400, 600);
  EXPECT_TRUE(on.by_objects(given, {given}, find));
  EXPECT_EQ(on.count(), 1U);
  EXPECT_EQ(on.boxes(), 110);
  draw(0, 1000);
  EXPECT_FALSE(on.by_objects(given, {given}, find));
}

TEST(steps, progress_of_boxes_is_told_on_the_calling_thread) {
  dice from(6);
  image mask(dtype::boolean, {320, 320});
  for (auto& value : mask.pixels<bool>()) value = from.once_in(5);
  const auto caller = std::this_thread::get_id();
  std::atomic<int> others = 0, calls_of_operators = 0;
  std::int64_t done = 0;
  piece_options pieces;
  pieces.size = {0, 40, 40};
  pieces.progress = [&](const piece_progress& now) {
    if (std::this_thread::get_id() != caller) {
      ++others;
      return;
    }
    EXPECT_GT(now.done, done);
    EXPECT_EQ(now.pieces, 64);
    done = now.done;
  };
  context how{.device = "cpu", .threads = 3};
  how.progress = [&](double) { ++calls_of_operators; };
  step_runner on(how, pieces, true, 1 << 20);
  const auto given = on.picture_of(mask);
  EXPECT_TRUE(on.by_objects(given, {given}, [](steps& inside, const std::vector<picture>& of) {
    return inside.whole("label", {{"connectivity", connectivity(8)}}, of);
  }));
  EXPECT_EQ(done, 64);
  EXPECT_EQ(others, 0);
  EXPECT_EQ(calls_of_operators, 0);  // by threads at the same time
}

TEST(steps, objects_that_do_not_fit_into_memory_are_left_to_pieces) {
  image mask(dtype::boolean, {1200, 1300});
  std::ranges::fill(mask.pixels<bool>(), false);
  const auto find = [](steps& inside, const std::vector<picture>& of) {
    return inside.whole("label", {}, of);
  };
  piece_options pieces;
  pieces.memory = 40 << 20;
  step_runner on({.device = "cpu", .threads = 1}, pieces, true, 1 << 20);
  const auto given = on.picture_of(mask);
  EXPECT_TRUE(on.by_objects(given, {given}, find));
  EXPECT_EQ(on.count(), 0U);
  for (std::size_t i = 0; i < 1300; ++i) mask.pixels<bool>()[600 * 1300 + i] = true;
  EXPECT_TRUE(on.by_objects(given, {given}, find));
  EXPECT_EQ(on.count(), 1U);
  for (std::size_t i = 0; i < 1200; ++i) mask.pixels<bool>()[i * 1300 + 650] = true;
  EXPECT_FALSE(on.by_objects(given, {given}, find));
  step_runner in_memory({.device = "cpu"});
  EXPECT_FALSE(in_memory.by_objects(given, {given}, find));
}

}  // namespace
}  // namespace macareu::slides

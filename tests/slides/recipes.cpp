// Recipes as programs write them, with public headers alone.
#include <macareu/steps.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/operators.hpp>

#include "support/dice.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

using list = std::vector<number>;

image noise(dice& from, extents shape, dtype type = dtype::u16) {
  image pixels(type, shape);
  auto* const bytes = static_cast<std::uint8_t*>(pixels.data());
  for (std::size_t i = 0; i < pixels.bytes(); ++i) bytes[i] = static_cast<std::uint8_t>(from.below(256));
  return pixels;
}

/// Blobs above Otsu's threshold, with holes filled and small ones removed, as labels.
picture blobs_of(steps& on, const picture& given) {
  const auto smooth =
      on.keep(on.local("gaussian", {{"sigma", list{2}}, {"type", "same"}}, {given}, {.margin = 8}));
  const auto counts = on.counts(smooth)[0];
  const auto level = otsu_threshold(counts, percentile(counts, 99));
  const auto above = on.local("threshold", {{"value", number(level)}}, {smooth});
  const auto filled = on.whole("fill_holes", {}, {above});
  const auto large = on.local("remove_small", {{"min_size", number(12)}}, {filled}, {.margin = 12});
  return on.whole("label", {}, {large});
}

image labels_of(steps on, const const_image_view& given) {
  return on.read(blobs_of(on, on.picture_of(given)));
}

TEST(recipes, are_the_same_in_memory_and_in_pieces) {
  dice from(1);
  for (int round = 0; round < 4; ++round) {
    const auto given = noise(from, {from.between(20, 300), from.between(20, 300)});
    const auto expected = labels_of(steps({.device = "cpu", .threads = 1}), given);
    EXPECT_TRUE(same_bits(labels_of(steps({.device = "cpu", .threads = 2}), given), expected));
    EXPECT_TRUE(same_bits(labels_of(steps({.device = "serial"}), given), expected));
    for (const std::int64_t size : {31, 100})
      EXPECT_TRUE(same_bits(labels_of(steps({}, {.size = {0, size, size + 7}}), given), expected)) << size;
    EXPECT_TRUE(same_bits(labels_of(steps({}, {.memory = 8 << 20}), given), expected));
  }
}

TEST(recipes, read_sources_and_write_sinks) {
  dice from(2);
  const auto given = noise(from, {150, 170});
  steps in_memory, in_pieces({}, {.size = {0, 40, 50}});
  const auto expected = in_memory.read(blobs_of(in_memory, in_memory.picture_of(given)));
  const auto found = blobs_of(in_pieces, in_pieces.picture_of(std::shared_ptr(source_of(given))));
  EXPECT_EQ(in_pieces.count(), in_memory.count());
  image written(found.form().type, given.shape());
  in_pieces.write(found, *sink_to(written));
  EXPECT_TRUE(same_bits(written, expected));
}

TEST(recipes, steps_give_what_operators_give) {
  dice from(3);
  const auto given = noise(from, {120, 90});
  const auto expected = enlarge(reduce(given, {.factor = {3}}), {.size = {120, 90}});
  steps on({}, {.size = {0, 37, 41}});
  const auto small = on.local("reduce", {{"factor", list{3}}}, {on.picture_of(given)}, {.shrink = 3});
  EXPECT_EQ(small.form().shape, (extents{40, 30}));
  const auto back = on.local("enlarge", {{"size", list{120, 90}}}, {small}, {.margin = 1, .grow = 3});
  EXPECT_TRUE(same_bits(on.read(back), expected));
  const auto labels = on.whole("label", {}, {on.local("threshold", {{"value", number(40000)}}, {back})});
  const auto rows = on.measured("measure", {{"columns", "size"}}, {labels});
  EXPECT_EQ(rows.rows(), on.count());
}

TEST(recipes, of_colour_are_counted_by_channels) {
  image colour(dtype::u8, {3, 2}, 3);
  auto value = colour.pixels<std::uint8_t>();
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<std::uint8_t>(i % 3 * 10);
  const steps on;
  const auto counts = on.counts(on.picture_of(colour));
  ASSERT_EQ(counts.size(), 3U);
  for (std::size_t channel = 0; channel < 3; ++channel) EXPECT_EQ(counts[channel][10 * channel], 6U);
}

TEST(recipes, keep_their_limit_in_pieces) {
  dice from(4);
  const auto given = noise(from, {1300, 1500});
  const auto expected = labels_of(steps(), given);
  steps on({}, {.memory = 8 << 20});
  EXPECT_TRUE(same_bits(on.read(blobs_of(on, on.picture_of(given))), expected));
  // Otsu's threshold and a table, of pictures that are computed in strips
  const auto smooth =
      on.local("gaussian", {{"sigma", list{2}}, {"type", "same"}}, {on.picture_of(given)}, {.margin = 8});
  steps whole;
  const auto same = whole.local("gaussian", {{"sigma", list{2}}, {"type", "same"}}, {whole.picture_of(given)},
                                {.margin = 8});
  EXPECT_EQ(on.counts(smooth), whole.counts(same));
}

TEST(recipes, take_views_with_any_strides) {
  dice from(5);
  const auto pixels = noise(from, {60, 80}, dtype::u8);
  const auto* const first = static_cast<const std::uint8_t*>(pixels.data());
  const image colour = noise(from, {40, 3 * 50}, dtype::u8);
  const const_image_view views[]{
      {first, dtype::u8, {80, 60}, {1, 80}},                                       // transposed
      {first + 60 * 80 - 1, dtype::u8, {60, 80}, {-80, -1}},                       // turned
      {first + 3, dtype::u8, {20, 15}, {160, 5}},                                  // with gaps
      {colour.data(), dtype::u8, {20, 50}, contiguous_strides({20, 50}), 3, 1000}  // planes
  };
  for (const auto& view : views) {
    image packed(view.type(), view.shape(), view.channels());
    source_of(view)->read(whole_of(view.shape()), packed.data());
    const auto expected = invert(packed);
    for (const auto& on : {steps(), steps({}, {.size = {0, 7, 9}})}) {
      const auto given = on.picture_of(view);
      EXPECT_TRUE(same_bits(on.read(given), packed));
      EXPECT_TRUE(same_bits(on.read(on.local("invert", {}, {given})), expected));
      if (view.channels() == 1) {
        EXPECT_TRUE(same_bits(on.read(steps(on).whole("invert", {}, {given})), expected));
      }
      EXPECT_EQ(on.counts(given), on.counts(on.picture_of(packed)));
    }
  }
}

TEST(recipes, outputs_have_the_order_in_which_they_are_asked_for) {
  image objects(dtype::u8, {90, 70});
  dice from(6);
  for (auto& pixel : objects.pixels<std::uint8_t>()) pixel = from.once_in(40);
  const auto labels = label(objects);
  const arguments given{{"invert", true}, {"max_distance", number(5)}};
  const reach far{.margin = 6};
  for (const auto& on : {steps(), steps({}, {.size = {0, 20, 30}})}) {
    const auto a = on.picture_of(labels);
    const auto one_way = on.local_outputs("distance_transform", given, {a}, far, {0, 2});
    const auto other = on.local_outputs("distance_transform", given, {a}, far, {2, 0});
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(on.read(other[1 - i]), on.read(one_way[i])));
  }
}

TEST(recipes, margins_of_smaller_images_are_rounded_up) {
  dice from(7);
  const auto given = noise(from, {101, 130});
  const auto expected = reduce(given, {.factor = {4}});
  for (const std::int64_t margin : {0, 1, 6}) {
    const steps on({}, {.size = {0, 23, 31}});
    const auto small =
        on.local("reduce", {{"factor", list{4}}}, {on.picture_of(given)}, {.margin = margin, .shrink = 4});
    EXPECT_TRUE(same_bits(on.read(on.local("invert", {}, {small})), invert(expected))) << margin;
  }
}

TEST(recipes, check_what_is_found_by_objects) {
  image mask(dtype::boolean, {50, 60});
  for (auto& pixel : mask.pixels<bool>()) pixel = false;
  mask.pixels<bool>()[777] = true;
  steps on({.device = "cpu"}, {.size = {0, 25, 30}});
  const auto given = on.picture_of(mask);
  const auto finds = [&](const char* name, const arguments& how) {
    return on.by_objects(given, {given}, [&](steps& inside, const std::vector<picture>& of) {
      return inside.whole(name, how, of);
    });
  };
  EXPECT_TRUE(finds("label", {}));
  EXPECT_EQ(on.count(), 1U);
  EXPECT_THROW(finds("invert", {}), usage_error);                     // no labels
  EXPECT_THROW(finds("reduce", {{"factor", list{2}}}), usage_error);  // another shape
  EXPECT_THROW(finds("cast", {{"type", "u64"}}), usage_error);        // another type
  image high(dtype::u32, {50, 60});
  for (auto& label : high.pixels<std::uint32_t>()) label = 4'000'000'000U;
  EXPECT_THROW(on.by_objects(given, {on.picture_of(high)},
                             [](steps&, const std::vector<picture>& of) { return of[0]; }),
               usage_error);
}

TEST(recipes, refuse_steps_that_cannot_run) {
  const image grey(dtype::u16, {5, 6}), other(dtype::u16, {5, 7}), volume(dtype::u16, {2, 5, 6});
  steps on;
  const auto a = on.picture_of(grey), b = on.picture_of(other);
  const auto refusal = message_of<usage_error>([&] { on.local("gausian", {}, {a}); });
  EXPECT_NE(refusal.find("did you mean gaussian?"), std::string::npos) << refusal;
  EXPECT_THROW(on.local("gaussian", {{"sigam", list{2}}}, {a}), usage_error);
  EXPECT_THROW(on.local("gaussian", {{"sigma", list{2}}}, {a}, {.margin = -1}), usage_error);
  EXPECT_THROW(on.local("reduce", {{"factor", list{2}}}, {a}), usage_error);
  EXPECT_THROW(on.local("enlarge", {{"size", list{9, 11}}}, {a}, {.margin = 1, .grow = 3}), usage_error);
  EXPECT_THROW(on.local("add", {}, {a, b}), usage_error);
  EXPECT_THROW(on.local("invert", {}, {}), usage_error);
  EXPECT_THROW(on.local("invert", {}, {picture()}), usage_error);
  EXPECT_THROW(on.picture_of(volume), usage_error);
  EXPECT_THROW(on.picture_of(std::shared_ptr<image_source>()), usage_error);
  std::vector<image> tables;
  tables.emplace_back(dtype::u8, extents{3, 3});
  EXPECT_THROW(on.local("erosion", {}, {}, {}, std::move(tables)), usage_error);
  EXPECT_THROW(on.local("measure", {}, {a}), usage_error);
  EXPECT_THROW(on.whole("measure", {}, {a}), usage_error);
  EXPECT_THROW(on.measured("invert", {}, {a}), usage_error);
  EXPECT_THROW(on.local_outputs("invert", {}, {a}, {}, {7}), usage_error);
  EXPECT_THROW(on.local_outputs("invert", {}, {a}, {}, {0, 0}), usage_error);
  EXPECT_THROW(on.local_outputs("distance_transform", {}, {a}, {}, {2}), usage_error);
  EXPECT_THROW(steps({.device = "abacus"}), usage_error);
  const image colour(dtype::u8, {5, 6}, 3);
  steps in_pieces({}, {.size = {0, 5, 6}});
  EXPECT_THROW(in_pieces.whole("invert", {}, {in_pieces.picture_of(colour)}), usage_error);
  EXPECT_THROW(percentile({1, 2}, -1), usage_error);
  EXPECT_THROW(percentile({1, 2}, 101), usage_error);
  EXPECT_THROW(on.keep({a, b}), usage_error);
  EXPECT_THROW(on.keep(picture()), usage_error);
  EXPECT_TRUE(on.keep(std::vector<picture>()).empty());
  EXPECT_THROW(on.by_objects(a, {b}, {}), usage_error);
  std::uint16_t pixel;
  EXPECT_THROW(on.read(a, {{0, 4, 6}, {1, 1, 1}}, &pixel), usage_error);
  const image floats(dtype::f32, {5, 6});
  EXPECT_THROW(on.counts(on.picture_of(floats)), usage_error);
}

}  // namespace
}  // namespace macareu::test

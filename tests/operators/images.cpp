// Images, shapes, views and their comparison.
#include <gtest/gtest.h>

#include <limits>

#include <macareu/compare.hpp>
#include <macareu/error.hpp>
#include <macareu/image.hpp>

#include "operators/pictures.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

TEST(images, shapes) {
  EXPECT_EQ(to_string(extents{480, 640}), "480 x 640");
  EXPECT_EQ(to_string(extents{2, 3, 4}), "2 x 3 x 4");
  EXPECT_EQ((extents{2, 3, 4}.pixels()), 24);
  EXPECT_EQ((extents{0, 5}.pixels()), 0);
  EXPECT_EQ((extents{3, 4}.depth()), 1);
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (strides{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({3, 4}, 3), (strides{12, 3, 0}));
  EXPECT_THROW((extents{4}), usage_error);
  EXPECT_THROW((extents{1, 2, 3, 4}), usage_error);
  EXPECT_THROW((extents{3, -1}), usage_error);
  EXPECT_THROW((extents{std::int64_t{1} << 40, std::int64_t{1} << 40}), usage_error);
  EXPECT_THROW((extents{std::int64_t{1} << 40, std::int64_t{1} << 40, 0}), usage_error)
      << "whatever the last size";
  EXPECT_THROW(image(dtype::f64, {std::int64_t{1} << 31, std::int64_t{1} << 31}), usage_error);
  EXPECT_THROW(image(dtype::u8, {2, 2}, 0), usage_error);
}

TEST(images, types_have_names) {
  for (const auto type : all_types) EXPECT_EQ(dtype_named(name_of(type)), type);
  EXPECT_FALSE(dtype_named("u7").has_value());
  EXPECT_EQ(dtype_of<const bool>, dtype::boolean);
  EXPECT_EQ(dtype_of<long long>, dtype::i64);
  EXPECT_EQ(dtype_of<unsigned long>, dtype::u64);
  EXPECT_EQ(size_of(dtype::f32), 4u);
}

TEST(images, pixels_only_as_their_own_type) {
  image one(dtype::u16, {2, 2});
  EXPECT_EQ(one.pixels<std::uint16_t>().size(), 4u);
  EXPECT_EQ(one.bytes(), 8u);
  EXPECT_THROW(one.pixels<std::int16_t>(), usage_error);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.data()) % 64, 0u);
}

TEST(images, copies_of_strided_views) {
  for (std::int64_t i = 0; i < scaled(200); ++i) {
    const auto seed = seed_of("copies", i);
    dice from(seed);
    const auto type = from.pick(all_types);
    with_type(type, [&]<class T>() {
      const auto drawn = draw_picture<T>(from, type, i % 2 == 0 ? 2 : 3);
      strided_image strided(from, type, drawn.shape);
      strided.assign(drawn.view());
      EXPECT_TRUE(same_bits(copy_of(strided), drawn.view())) << "seed " << seed;
    });
  }
}

TEST(images, channels_are_views) {
  image colour(dtype::u8, {1, 3}, 3);
  auto values = colour.pixels<std::uint8_t>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i);
  const const_image_view all = std::as_const(colour);
  EXPECT_EQ(values_of<std::uint8_t>(copy_of(all.channel(1))), (std::vector<std::uint8_t>{1, 4, 7}));
  EXPECT_EQ(copy_of(all).pixels<std::uint8_t>()[8], 8);
}

TEST(comparison, counts_and_names_the_first_difference) {
  const picture<std::int8_t> a{{2, 1, 2}, {-128, 1, 2, 3}}, b{{2, 1, 2}, {-128, 1, 5, 127}};
  const auto same = compare(a.view(), a.view());
  EXPECT_EQ(same.pixels, 4);
  EXPECT_EQ(same.different, 0);
  EXPECT_EQ(same.largest, 0);
  const auto found = compare(a.view(), b.view());
  EXPECT_EQ(found.different, 2);
  EXPECT_EQ(found.largest, 124);
  EXPECT_EQ(found.first, (std::array<std::int64_t, 3>{1, 0, 0}));
  EXPECT_EQ(found.left, 2);
  EXPECT_EQ(found.right, 5);
}

TEST(comparison, extremes) {
  const auto apart = [](auto a, auto b) {
    using T = decltype(a);
    return compare(picture<T>{{1, 1}, {a}}.view(), picture<T>{{1, 1}, {b}}.view()).largest;
  };
  EXPECT_EQ(apart(std::int8_t{-128}, std::int8_t{127}), 255);
  EXPECT_EQ(apart(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()),
            18446744073709551615.0);
  EXPECT_EQ(apart(std::uint64_t{1} << 53, (std::uint64_t{1} << 53) + 1), 1);
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(apart(inf, inf), 0);
  EXPECT_EQ(apart(nan, nan), 0);
  EXPECT_EQ(apart(0.0, -0.0), 0);
  EXPECT_EQ(apart(inf, 0.0), inf);
  const auto with_nan =
      compare(picture<double>{{1, 3}, {1, nan, 2}}.view(), picture<double>{{1, 3}, {0, 0, 0}}.view());
  EXPECT_EQ(with_nan.different, 3);
  EXPECT_TRUE(std::isnan(with_nan.largest)) << "no number is as far as NaN";
}

TEST(comparison, refuses_what_cannot_be_compared) {
  const picture<std::uint8_t> a{{1, 2}, {0, 0}}, b{{2, 1}, {0, 0}};
  const picture<std::int8_t> c{{1, 2}, {0, 0}};
  EXPECT_EQ(message_of<usage_error>([&] { compare(a.view(), b.view()); }),
            "compare: shapes differ: 1 x 2 and 2 x 1");
  EXPECT_EQ(message_of<usage_error>([&] { compare(a.view(), c.view()); }),
            "compare: pixel types differ: u8 and i8");
  const image colour(dtype::u8, {1, 2}, 3);
  EXPECT_EQ(message_of<usage_error>([&] { compare(a.view(), colour); }), "compare: channels differ: 1 and 3");
}

}  // namespace
}  // namespace macareu::test

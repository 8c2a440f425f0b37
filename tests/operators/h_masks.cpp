// h-maxima and h-minima as masks: known answers, and flood fills that may not descend h.
#include "operators/by_definition.hpp"
#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

using mask = std::vector<std::uint8_t>;

template <class T>
mask h_maxima_of(const picture<T>& f, const h_maxima_options& options) {
  const auto result = h_maxima(f.view(), options, on_serial);
  EXPECT_EQ(result.type(), dtype::boolean);
  return values_of<std::uint8_t>(result);
}
template <class T>
mask h_minima_of(const picture<T>& f, const h_minima_options& options) {
  return values_of<std::uint8_t>(h_minima(f.view(), options, on_serial));
}

/// The shape of scikit-image's example: maxima of heights 5, 10 and 20 on a background of 10.
TEST(h_masks, maxima_of_at_least_h) {
  picture<std::uint8_t> f{{5, 9}, std::vector<std::uint8_t>(45, 10)};
  f.pixels[10] = 15;
  f.pixels[13] = 20;
  f.pixels[16] = 30;
  const auto only = [](std::initializer_list<std::size_t> places) {
    mask expected(45, 0);
    for (const auto p : places) expected[p] = 1;
    return expected;
  };
  EXPECT_EQ(h_maxima_of(f, {.h = 1}), only({10, 13, 16}));
  EXPECT_EQ(h_maxima_of(f, {.h = 5}), only({10, 13, 16}));
  EXPECT_EQ(h_maxima_of(f, {.h = 6}), only({13, 16}));
  EXPECT_EQ(h_maxima_of(f, {.h = 10}), only({13, 16}));
  EXPECT_EQ(h_maxima_of(f, {.h = 20}), only({16}));
  EXPECT_EQ(h_maxima_of(f, {.h = 21}), only({}));
  for (auto& value : f.pixels) value = static_cast<std::uint8_t>(255 - value);
  EXPECT_EQ(h_minima_of(f, {.h = 6}), only({13, 16}));
  EXPECT_EQ(h_minima_of(f, {.h = 20}), only({16}));
}

TEST(h_masks, two_tops_with_a_shallow_saddle) {
  const picture<std::int16_t> f{{1, 5}, {0, 9, 7, 10, 0}};
  EXPECT_EQ(h_maxima_of(f, {.h = 2}), (mask{0, 1, 0, 1, 0}));
  EXPECT_EQ(h_maxima_of(f, {.h = 3}), (mask{0, 0, 0, 1, 0}))
      << "from 9 the 10 is reached without descending 3";
}

TEST(h_masks, a_fractional_height_is_rounded_up_for_integers) {
  const picture<std::uint8_t> f{{1, 5}, {0, 2, 0, 3, 0}};
  EXPECT_EQ(h_maxima_of(f, {.h = 2.5}), h_maxima_of(f, {.h = 3}));
  EXPECT_EQ(h_maxima_of(f, {.h = 0.001}), h_maxima_of(f, {.h = 1}));
  EXPECT_EQ(h_maxima_of(f, {.h = 2.0}), (mask{0, 1, 0, 1, 0}));
  EXPECT_EQ(h_minima_of(f, {.h = 2.5}), h_minima_of(f, {.h = 3}));
}

TEST(h_masks, nothing_stands_out_by_more_than_the_range) {
  const picture<std::int8_t> f{{1, 3}, {-128, 127, -128}};
  EXPECT_EQ(h_maxima_of(f, {.h = 255}), (mask{0, 1, 0}));
  EXPECT_EQ(h_minima_of(f, {.h = 255}), (mask{1, 0, 1}));
  for (const number h :
       {number(255.5), number(256), number(1e300), number(std::numeric_limits<std::uint64_t>::max())}) {
    EXPECT_EQ(h_maxima_of(f, {.h = h}), (mask{0, 0, 0})) << to_string(h);
    EXPECT_EQ(h_minima_of(f, {.h = h}), (mask{0, 0, 0})) << to_string(h);
  }
  EXPECT_EQ(h_maxima_of(picture<std::uint8_t>{{1, 2}, {9, 9}}, {.h = 1}), (mask{0, 0})) << "one value";
}

TEST(h_masks, sixty_four_bit_heights_are_exact) {
  const auto top = std::numeric_limits<std::uint64_t>::max();
  const picture<std::uint64_t> f{{1, 3}, {0, top, 1}};
  EXPECT_EQ(h_maxima_of(f, {.h = top}), (mask{0, 1, 0}));
  const picture<std::uint64_t> lower{{1, 3}, {1, top, 1}};
  EXPECT_EQ(h_maxima_of(lower, {.h = top}), (mask{0, 0, 0}));
  EXPECT_EQ(h_maxima_of(lower, {.h = top - 1}), (mask{0, 1, 0}));
  const auto big = (std::int64_t{1} << 53) + 1;
  const picture<std::int64_t> s{{1, 3}, {-big, 0, -big}};
  EXPECT_EQ(h_maxima_of(s, {.h = big}), (mask{0, 1, 0}));
  EXPECT_EQ(h_maxima_of(s, {.h = big + 1}), (mask{0, 0, 0}));
}

TEST(h_masks, floats) {
  const picture<double> f{{1, 5}, {0, 0.5, 0, 0.25, -1}};
  EXPECT_EQ(h_maxima_of(f, {.h = 0.5}), (mask{0, 1, 0, 0, 0}));
  EXPECT_EQ(h_maxima_of(f, {.h = 0.25}), (mask{0, 1, 0, 1, 0}));
  EXPECT_EQ(h_minima_of(f, {.h = 1.5}), (mask{0, 0, 0, 0, 1}));
  EXPECT_EQ(h_minima_of(f, {.h = 1.6}), (mask{0, 0, 0, 0, 0}));
  // 0.1 + 0.2 - 0.2 is not 0.1: the shift goes a little further than h, so rounding hides no maximum.
  const picture<double> rounding{{1, 3}, {0.2, 0.1 + 0.2, 0.2}};
  EXPECT_EQ(h_maxima_of(rounding, {.h = 0.1}), (mask{0, 1, 0}));
}

TEST(h_masks, bool_has_height_one) {
  const picture<std::uint8_t> f{{1, 4}, {0, 1, 1, 0}, dtype::boolean};
  EXPECT_EQ(h_maxima_of(f, {.h = 1}), (mask{0, 1, 1, 0}));
  EXPECT_EQ(h_minima_of(f, {.h = 1}), (mask{1, 0, 0, 1}));
  EXPECT_EQ(h_maxima_of(f, {.h = 2}), (mask{0, 0, 0, 0}));
}

TEST(h_masks, equal_their_definition) {
  for_random_images("h_masks", 1000, []<class T>(dtype type, neighbours near, dice& from) {
    auto f = draw_picture<T>(from, type, near.rank);
    number h = static_cast<double>(from.between(1, 9)) / 4;
    if constexpr (std::is_floating_point_v<T>) {
      for (auto& value : f.pixels) value = static_cast<T>(from.between(-8, 8)) / 4;
    } else if (from.once_in(2)) {
      const auto [low, high] = std::ranges::minmax(f.pixels);
      h = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
    }
    const lattice on(f.shape, near.count);
    const auto exact = std::visit([](auto value) { return static_cast<long double>(value); }, h.value());
    const auto steps = std::is_floating_point_v<T> ? exact : std::ceil(exact);
    ASSERT_EQ(h_maxima_of(f, {.h = h, .connectivity = near.count}), h_extrema_of(on, f.pixels, steps, true))
        << to_string(h);
    ASSERT_EQ(h_minima_of(f, {.h = h, .connectivity = near.count}), h_extrema_of(on, f.pixels, steps, false))
        << to_string(h);
  });
}

}  // namespace
}  // namespace macareu::test

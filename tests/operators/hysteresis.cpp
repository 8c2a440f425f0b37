// Hysteresis: known answers, and growth from what is above the high value by brute force.
#include <algorithm>
#include <cmath>
#include <limits>

#include "operators/by_definition.hpp"
#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

template <class T>
std::vector<std::uint8_t> kept(const picture<T>& f, number low, number high,
                               connectivity near = connectivity::face) {
  return values_of<std::uint8_t>(
      hysteresis(f.view(), {.low = low, .high = high, .connectivity = near}, on_serial));
}

/// The example of scikit-image's apply_hysteresis_threshold.
TEST(hysteresis, keeps_what_reaches_the_high_value) {
  const picture<std::uint8_t> f{{1, 9}, {1, 2, 3, 2, 1, 2, 1, 3, 2}};
  EXPECT_EQ(kept(f, 1.5, 2.5), (std::vector<std::uint8_t>{0, 1, 1, 1, 0, 0, 0, 1, 1}));
}

TEST(hysteresis, both_values_are_exclusive) {
  const picture<float> f{{1, 6}, {1, 2, 1, 0, 1, 1}};
  EXPECT_EQ(kept(f, 1, 1.5), (std::vector<std::uint8_t>{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(kept(f, 0.5, 2), std::vector<std::uint8_t>(6, 0));
}

TEST(hysteresis, neighbours_are_those_of_faces_unless_said) {
  const picture<std::int16_t> f{{2, 2}, {9, 0, 0, 5}};
  EXPECT_EQ(kept(f, 4, 8), (std::vector<std::uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(kept(f, 4, 8, 8), (std::vector<std::uint8_t>{1, 0, 0, 1}));
}

TEST(hysteresis, a_low_value_above_the_high_one_counts_as_that) {
  const picture<std::uint8_t> f{{1, 4}, {3, 5, 7, 5}};
  EXPECT_EQ(kept(f, 6, 4), (std::vector<std::uint8_t>{0, 1, 1, 1}));
}

TEST(hysteresis, values_beyond_the_type) {
  const picture<std::uint8_t> f{{1, 3}, {0, 255, 1}};
  EXPECT_EQ(kept(f, 0, 255), std::vector<std::uint8_t>(3, 0));
  EXPECT_EQ(kept(f, -1, 254), std::vector<std::uint8_t>(3, 1));
  EXPECT_EQ(kept(f, -3, -2), std::vector<std::uint8_t>(3, 1));
}

TEST(hysteresis, nan_is_above_nothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const picture<float> f{{1, 4}, {9, nan, 5, 9}};
  EXPECT_EQ(kept(f, 1, 6), (std::vector<std::uint8_t>{1, 0, 1, 1}));
}

TEST(hysteresis, equals_its_definition) {
  for_random_images("hysteresis", 600, []<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_picture<T>(from, type, near.rank);
    const T a = from.pick(f.pixels), b = from.pick(f.pixels);
    const T low = std::min(a, b), high = std::max(a, b);
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(low) || !std::isfinite(high)) return;  // no thresholds
    std::vector<std::uint8_t> within(f.pixels.size()), start(f.pixels.size());
    for (std::size_t p = 0; p < f.pixels.size(); ++p) {
      within[p] = f.pixels[p] > low;
      start[p] = f.pixels[p] > high;
    }
    const auto expected = reconstruction(lattice(f.shape, near.count), start, within, false);
    const auto result =
        hysteresis(f.view(), {.low = low, .high = high, .connectivity = near.count}, on_serial);
    ASSERT_TRUE(same_bits(result, picture<std::uint8_t>{f.shape, expected, dtype::boolean}.view()));
  });
}

}  // namespace
}  // namespace macareu::test

// Regional maxima and minima: known answers, and plateaus by flood fill.
#include "operators/by_definition.hpp"
#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

using mask = std::vector<std::uint8_t>;

const context on_cpu{.device = "cpu"};  // which finds them another way

template <class T>
mask maxima_of(const picture<T>& f, const maxima_options& options = {}) {
  const auto result = maxima(f.view(), options, on_serial);
  EXPECT_EQ(result.type(), dtype::boolean);
  const auto values = values_of<std::uint8_t>(result);
  EXPECT_EQ(values_of<std::uint8_t>(maxima(f.view(), options, on_cpu)), values);
  return values;
}
template <class T>
mask minima_of(const picture<T>& f, const minima_options& options = {}) {
  const auto values = values_of<std::uint8_t>(minima(f.view(), options, on_serial));
  EXPECT_EQ(values_of<std::uint8_t>(minima(f.view(), options, on_cpu)), values);
  return values;
}

/// The example of scikit-image's local_maxima.
const picture<std::int64_t> example{{4, 7}, {0, 0, 0, 0, 0, 0, 0,  //
                                             0, 1, 1, 0, 2, 2, 0,  //
                                             0, 1, 1, 0, 2, 2, 0,  //
                                             1, 0, 0, 0, 0, 0, 3}};

TEST(regional_extrema, maxima_of_plateaus) {
  EXPECT_EQ(maxima_of(example), (mask{0, 0, 0, 0, 0, 0, 0,  //
                                      0, 1, 1, 0, 0, 0, 0,  //
                                      0, 1, 1, 0, 0, 0, 0,  //
                                      1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(maxima_of(example, {.connectivity = 4}), (mask{0, 0, 0, 0, 0, 0, 0,  //
                                                           0, 1, 1, 0, 1, 1, 0,  //
                                                           0, 1, 1, 0, 1, 1, 0,  //
                                                           1, 0, 0, 0, 0, 0, 1}));
}

TEST(regional_extrema, minima_mirror_maxima) {
  auto mirrored = example;
  for (auto& value : mirrored.pixels) value = -1 - value;
  EXPECT_EQ(minima_of(mirrored), maxima_of(example));
  EXPECT_EQ(minima_of(mirrored, {.connectivity = 4}), maxima_of(example, {.connectivity = 4}));
}

TEST(regional_extrema, one_value_has_none) {
  for (const auto& shape : {extents{1, 1}, extents{3, 4}, extents{2, 3, 4}}) {
    const auto pixels = static_cast<std::size_t>(shape.pixels());
    for (const int value : {0, 7, 255}) {
      const picture<std::uint8_t> flat{shape,
                                       std::vector<std::uint8_t>(pixels, static_cast<std::uint8_t>(value))};
      EXPECT_EQ(maxima_of(flat), mask(pixels, 0));
      EXPECT_EQ(minima_of(flat), mask(pixels, 0));
    }
  }
}

TEST(regional_extrema, ends_of_the_type) {
  const picture<std::uint8_t> u{{1, 5}, {0, 255, 255, 0, 1}};
  EXPECT_EQ(maxima_of(u), (mask{0, 1, 1, 0, 1}));
  EXPECT_EQ(minima_of(u), (mask{1, 0, 0, 1, 0}));
  const auto low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  const picture<std::int64_t> s{{1, 5}, {low, high, high - 1, low + 1, low}};
  EXPECT_EQ(maxima_of(s), (mask{0, 1, 0, 0, 0}));
  EXPECT_EQ(minima_of(s), (mask{1, 0, 0, 0, 1}));
}

TEST(regional_extrema, floats) {
  const double inf = std::numeric_limits<double>::infinity(),
               tiny = std::numeric_limits<double>::denorm_min();
  const picture<double> f{{1, 7}, {-inf, inf, inf, 0, tiny, 0, -inf}};
  EXPECT_EQ(maxima_of(f), (mask{0, 1, 1, 0, 1, 0, 0}));
  EXPECT_EQ(minima_of(f), (mask{1, 0, 0, 1, 0, 0, 1}));
}

TEST(regional_extrema, both_zeros_are_one_value) {
  const picture<float> f{{1, 5}, {-1.f, -0.f, 0.f, -0.f, -1.f}};
  EXPECT_EQ(maxima_of(f), (mask{0, 1, 1, 1, 0}));
  EXPECT_EQ(minima_of(f), (mask{1, 0, 0, 0, 1}));
  const picture<float> zeros{{1, 3}, {-0.f, 0.f, -0.f}};
  EXPECT_EQ(maxima_of(zeros), (mask{0, 0, 0}));
}

TEST(regional_extrema, integers_that_doubles_confuse) {
  const auto big = std::uint64_t{1} << 53;
  const picture<std::uint64_t> f{{1, 3}, {big, big + 1, big}};
  EXPECT_EQ(maxima_of(f), (mask{0, 1, 0}));
}

TEST(regional_extrema, equal_flood_filled_plateaus) {
  for_random_images("regional_extrema", 1000, []<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_picture<T>(from, type, near.rank);
    const lattice on(f.shape, near.count);
    ASSERT_EQ(maxima_of(f, {.connectivity = near.count}), regional_extrema_of(on, f.pixels, true));
    ASSERT_EQ(minima_of(f, {.connectivity = near.count}), regional_extrema_of(on, f.pixels, false));
  });
}

/// Larger than what a thread of the cpu takes at a time, with plateaus of many pixels.
template <class T>
void check_large(const extents& shape, dice& from) {
  picture<T> f{shape, std::vector<T>(static_cast<std::size_t>(shape.pixels()))};
  const auto levels = from.between(2, 6);
  T value{};
  for (auto& pixel : f.pixels) {
    if (from.once_in(5)) value = static_cast<T>(from.below(levels));
    pixel = value;
  }
  for (const int connectivity : shape.rank() == 3 ? std::vector{6, 18, 26} : std::vector{4, 8}) {
    const auto found = maxima_of(f, {.connectivity = connectivity});
    minima_of(f, {.connectivity = connectivity});
    EXPECT_GT(std::ranges::count(found, 1), 0);
  }
}

TEST(regional_extrema, of_large_images) {
  dice from(20240619);
  for (const auto& shape : {extents{70, 4200}, extents{140, 700}, extents{4, 70, 600}}) {
    check_large<std::uint8_t>(shape, from);
    check_large<std::int16_t>(shape, from);
    check_large<float>(shape, from);
    check_large<double>(shape, from);
  }
}

}  // namespace
}  // namespace macareu::test

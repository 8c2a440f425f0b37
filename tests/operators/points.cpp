// threshold, invert, add, subtract and blend: known answers, and exact arithmetic by other means.
#include <cmath>

#include <macareu/catalogue.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

__extension__ typedef __int128 wide;

template <class T>
std::vector<T> of_two(const char* name, const picture<T>& a, const picture<T>& b,
                      const arguments& given = {}) {
  return values_of<T>(run_operator(*find_operator(name), std::array<const_image_view, 2>{a.view(), b.view()},
                                   given, on_serial)[0]);
}

template <class T>
T clamped(dtype type, wide value) {
  const wide low = std::numeric_limits<T>::lowest(),
             high = type == dtype::boolean ? wide{1} : wide{std::numeric_limits<T>::max()};
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

TEST(points, sums_and_differences_stop_at_the_ends) {
  for_random_images("sums", 60, [&]<class T>(dtype type, neighbours near, dice& from) {
    const auto a = draw_picture<T>(from, type, near.rank);
    auto b = a;
    for (auto& value : b.pixels) value = from.pick(a.pixels);
    const auto sums = of_two("add", a, b), differences = of_two("subtract", a, b);
    for (std::size_t i = 0; i < a.pixels.size(); ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        const T sum = a.pixels[i] + b.pixels[i], difference = a.pixels[i] - b.pixels[i];
        ASSERT_TRUE(sums[i] == sum || (sum != sum && sums[i] != sums[i]));
        ASSERT_TRUE(differences[i] == difference ||
                    (difference != difference && differences[i] != differences[i]));
      } else {
        ASSERT_EQ(sums[i], clamped<T>(type, wide{a.pixels[i]} + wide{b.pixels[i]}));
        ASSERT_EQ(differences[i], clamped<T>(type, wide{a.pixels[i]} - wide{b.pixels[i]}));
      }
    }
  });
}

TEST(points, blends_round_to_the_nearest) {
  const picture<std::uint8_t> a{{1, 5}, {0, 255, 10, 11, 100}}, b{{1, 5}, {255, 255, 11, 12, 0}};
  EXPECT_EQ(of_two("blend", a, b), (std::vector<std::uint8_t>{128, 255, 10, 12, 50})) << "halves to even";
  EXPECT_EQ(of_two("blend", a, b, {{"weight", number(1)}}), a.pixels);
  EXPECT_EQ(of_two("blend", a, b, {{"weight", number(0)}}), b.pixels);
  const picture<std::int64_t> wide_a{{1, 1}, {std::numeric_limits<std::int64_t>::max()}};
  EXPECT_EQ(of_two("blend", wide_a, wide_a), wide_a.pixels);
  EXPECT_EQ(message_of<usage_error>([&] { blend(a.view(), b.view(), {.weight = 1.5}); }),
            "blend: weight: expected 0 to 1, got 1.5");
}

TEST(points, inverted) {
  const picture<std::uint8_t> u{{1, 3}, {0, 7, 255}}, bits{{1, 2}, {0, 1}, dtype::boolean};
  const picture<std::int16_t> s{{1, 3}, {0, -32768, 5}};
  const picture<float> f{{1, 2}, {0.25f, -1}};
  EXPECT_EQ(values_of<std::uint8_t>(invert(u.view(), {}, on_serial)),
            (std::vector<std::uint8_t>{255, 248, 0}));
  EXPECT_EQ(values_of<std::uint8_t>(invert(bits.view(), {}, on_serial)), (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(values_of<std::int16_t>(invert(s.view(), {}, on_serial)),
            (std::vector<std::int16_t>{-1, 32767, -6}));
  EXPECT_EQ(values_of<float>(invert(f.view(), {}, on_serial)), (std::vector<float>{0.75f, 2}));
  auto own = u;
  invert(own.view(), own.view());
  EXPECT_EQ(own.pixels, (std::vector<std::uint8_t>{255, 248, 0})) << "in place";
}

TEST(points, thresholds_compare_exactly) {
  for_random_images("threshold", 60, [&]<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_picture<T>(from, type, near.rank);
    const auto check = [&](const number& value, auto above) {
      const auto mask = run_operator(*find_operator("threshold"), std::array<const_image_view, 1>{f.view()},
                                     {{"value", value}}, on_serial);
      const auto got = values_of<std::uint8_t>(mask[0]);
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i] != 0, above(f.pixels[i])) << to_string(value) << ", " << text_of(f.pixels[i]);
    };
    const T own = from.pick(f.pixels);
    if (std::isfinite(static_cast<double>(own))) check(number(own), [&](T value) { return value > own; });
    const std::int64_t whole = from.between(-300, 300);
    check(number(whole), [&](T value) {
      if constexpr (std::is_floating_point_v<T>)
        return value > static_cast<T>(whole);
      else
        return std::cmp_greater(value, whole);
    });
    const double half = static_cast<double>(whole) + 0.5;
    check(number(half), [&](T value) {
      if constexpr (std::is_floating_point_v<T>)
        return static_cast<double>(value) > half;
      else
        return std::cmp_greater(value, whole);
    });
    check(number(1e300), [](T value) { return static_cast<double>(value) > 1e300; });
    check(number(-1e300), [](T value) { return static_cast<double>(value) > -1e300; });
  });
}

/// The variance between both parts, times a constant, for every value as threshold, in exact integers.
TEST(points, otsu_is_the_best_division) {
  for (std::int64_t n = 0; n < scaled(300); ++n) {
    const auto seed = seed_of("otsu", n);
    dice from(seed);
    picture<std::int16_t> f{{from.between(1, 20), from.between(1, 20)}, {}};
    const auto levels = from.between(1, 40), start = from.between(-1000, 1000);
    for (auto i = f.shape.pixels(); i > 0; --i)
      f.pixels.push_back(static_cast<std::int16_t>(start + from.below(levels) * from.below(3)));
    const auto [low, high] = std::ranges::minmax(f.pixels);
    const auto score = [&](int threshold) {
      double below = 0, above = 0, below_sum = 0, above_sum = 0;
      for (const auto value : f.pixels)
        (value > threshold ? above : below) += 1, (value > threshold ? above_sum : below_sum) += value;
      if (below == 0 || above == 0) return 0.0;
      return below * above * std::pow(below_sum / below - above_sum / above, 2);
    };
    double best = 0;
    for (int t = low; t < high; ++t) best = std::max(best, score(t));
    const auto mask = values_of<std::uint8_t>(threshold(f.view(), {}, on_serial));
    int highest_below = low;
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (!mask[i]) highest_below = std::max<int>(highest_below, f.pixels[i]);
    for (std::size_t i = 0; i < mask.size(); ++i)
      ASSERT_EQ(mask[i] != 0, f.pixels[i] > highest_below) << "seed " << seed;
    ASSERT_GE(score(highest_below), best * (1 - 1e-12)) << "seed " << seed;
  }
}

TEST(points, otsu_of_one_value_and_of_floats) {
  const picture<std::uint8_t> flat{{1, 3}, {7, 7, 7}};
  EXPECT_EQ(values_of<std::uint8_t>(threshold(flat.view(), {}, on_serial)),
            (std::vector<std::uint8_t>{0, 0, 0}));
  const picture<double> two{{1, 4}, {0.1, 0.2, 5.1, 5.0}};
  EXPECT_EQ(values_of<std::uint8_t>(threshold(two.view(), {}, on_serial)),
            (std::vector<std::uint8_t>{0, 0, 1, 1}));
  const picture<float> bad{{1, 2}, {std::nanf(""), 1}};
  EXPECT_EQ(message_of<usage_error>([&] { threshold(bad.view()); }),
            "threshold: image is NaN at row 0, column 0; replace NaN first, it has no order");
}

}  // namespace
}  // namespace macareu::test

// enlarge: known answers, and interpolation by weights of all pixels.
#include <macareu/catalogue.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

arguments to_size(std::vector<number> size, const std::string& method) {
  return {{"size", std::move(size)}, {"method", method}};
}

template <class T>
std::vector<T> enlarged(const picture<T>& f, const arguments& given) {
  return values_of<T>(run_operator(*find_operator("enlarge"), std::array<const_image_view, 1>{f.view()},
                                   given, on_serial)[0]);
}

/// Those of OpenCV: cv2.resize(row, (5, 1)) and its INTER_NEAREST_EXACT.
TEST(enlarge, known_rows) {
  const picture<float> row{{1, 3}, {1, 2, 4}};
  const auto to_5 = enlarged(row, to_size({1, 5}, "linear"));
  const std::vector<float> expected{1, 1.4f, 2, 3.2f, 4};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_FLOAT_EQ(to_5[i], expected[i]);
  EXPECT_EQ(enlarged(row, to_size({1, 6}, "linear")), (std::vector<float>{1, 1.25f, 1.75f, 2.5f, 3.5f, 4}));
  EXPECT_EQ(enlarged(row, to_size({1, 5}, "nearest")), (std::vector<float>{1, 1, 2, 4, 4}));
  EXPECT_EQ(enlarged(row, to_size({1, 4}, "nearest")), (std::vector<float>{1, 2, 2, 4}));
  EXPECT_EQ(enlarged(row, to_size({1, 3}, "linear")), row.pixels);
}

TEST(enlarge, known_image) {
  const picture<std::uint8_t> f{{2, 2}, {0, 2, 4, 10}};
  EXPECT_EQ(enlarged(f, to_size({4}, "linear")),
            (std::vector<std::uint8_t>{0, 0, 2, 2, 1, 2, 3, 4, 3, 4, 7, 8, 4, 6, 8, 10}))
      << "halves to even";
  EXPECT_EQ(enlarged(f, to_size({3, 2}, "nearest")), (std::vector<std::uint8_t>{0, 2, 4, 10, 4, 10}));
}

TEST(enlarge, constants_and_infinities_stay) {
  const auto inf = std::numeric_limits<float>::infinity();
  const picture<float> f{{1, 3}, {inf, inf, 1}};
  EXPECT_EQ(enlarged(f, to_size({1, 6}, "linear")), (std::vector<float>{inf, inf, inf, inf, inf, 1}));
  const picture<double> third{{1, 2}, {1.0 / 3, 1.0 / 3}};
  for (const double value : enlarged(third, to_size({7, 17}, "linear"))) EXPECT_EQ(value, 1.0 / 3);
  const picture<std::uint64_t> top{{1, 2}, {~std::uint64_t{0}, ~std::uint64_t{0}}};
  for (const auto value : enlarged(top, to_size({1, 5}, "linear"))) EXPECT_EQ(value, ~std::uint64_t{0});
}

TEST(enlarge, refuses) {
  const picture<float> f{{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(message_of<usage_error>([&] {
              enlarged(f, to_size({2, 2}, "linear"));
            }),
            "enlarge: size: expected at least 2 x 3, the image's size, got 2 x 2");
  EXPECT_EQ(message_of<usage_error>([&] {
              enlarged(f, to_size({2, 4, 4}, "linear"));
            }),
            "enlarge: size: expected one number for each of 2 axes, or one for all, got 3 numbers");
}

/// The weight of pixel i for a pixel x: how much of 1 is left at the distance of their middles.
double weight(std::int64_t x, std::int64_t to, std::int64_t i, std::int64_t from) {
  const long double at =
      (static_cast<long double>(x) + 0.5L) * static_cast<long double>(from) / static_cast<long double>(to) -
      0.5L;
  const long double clamped = std::clamp(at, 0.0L, static_cast<long double>(from - 1));
  return static_cast<double>(std::max(0.0L, 1 - std::abs(clamped - static_cast<long double>(i))));
}

TEST(enlarge, linear_weights) {
  for (std::int64_t n = 0; n < scaled(200); ++n) {
    const auto seed = seed_of("enlarge", n);
    dice from(seed);
    const bool volume = from.once_in(3);
    const auto f = draw_picture<float>(from, dtype::f32, volume ? 3 : 2);
    auto own = f;
    for (auto& value : own.pixels) value = static_cast<float>(from.between(-1000, 1000)) / 8;
    const auto grown = [&](std::int64_t side) { return side + from.below(3 * side + 2); };
    const std::int64_t d = f.shape.depth(), h = f.shape.height(), w = f.shape.width(),
                       D = volume ? grown(d) : 1, H = grown(h), W = grown(w);
    const auto got =
        enlarged(own, to_size(volume ? std::vector<number>{D, H, W} : std::vector<number>{H, W}, "linear"));
    std::size_t at = 0;
    for (std::int64_t z = 0; z < D; ++z)
      for (std::int64_t y = 0; y < H; ++y)
        for (std::int64_t x = 0; x < W; ++x) {
          double sum = 0;
          for (std::int64_t k = 0; k < d; ++k)
            for (std::int64_t j = 0; j < h; ++j)
              for (std::int64_t i = 0; i < w; ++i)
                sum += weight(z, D, k, d) * weight(y, H, j, h) * weight(x, W, i, w) *
                       static_cast<double>(own.pixels[static_cast<std::size_t>((k * h + j) * w + i)]);
          ASSERT_NEAR(got[at++], sum, 1e-4) << "seed " << seed;
        }
  }
}

/// Every small pair of sizes: the pixel whose side contains the middle, in exact integers.
TEST(enlarge, nearest_is_exact) {
  for (std::int64_t n = 1; n < 24; ++n)
    for (std::int64_t m = n; m < 80; ++m) {
      picture<std::uint16_t> row{{1, n}, {}};
      for (std::int64_t i = 0; i < n; ++i) row.pixels.push_back(static_cast<std::uint16_t>(i));
      const auto got = enlarged(row, to_size({1, m}, "nearest"));
      for (std::int64_t x = 0; x < m; ++x)
        ASSERT_EQ(got[static_cast<std::size_t>(x)], (2 * x + 1) * n / (2 * m)) << n << " to " << m;
    }
}

}  // namespace
}  // namespace macareu::test

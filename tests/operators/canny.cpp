// Canny: known answers, what is refused, and ITK's definition written down once more, plainly: whole images
// between the steps, sums in ITK's order.
#include <algorithm>
#include <array>
#include <cmath>
#include <stop_token>

#include "operators/edges/discrete_gaussian.hpp"
#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

/// An image of floats whose pixels outside are those of its border.
struct plain_image {
  extents shape;
  std::vector<float> pixels;

  std::int64_t size(int axis) const {  // 0 is x
    return axis == 0 ? shape.width() : axis == 1 ? shape.height() : shape.depth();
  }
  float at(std::array<std::int64_t, 3> p) const {
    for (int axis = 0; axis < 3; ++axis) {
      auto& i = p[static_cast<std::size_t>(axis)];
      i = i < 0 ? 0 : i >= size(axis) ? size(axis) - 1 : i;
    }
    return pixels[static_cast<std::size_t>((p[2] * shape.height() + p[1]) * shape.width() + p[0])];
  }
  template <class Value>
  plain_image map(Value value) const {
    plain_image made{shape, {}};
    for (std::int64_t z = 0; z < size(2); ++z)
      for (std::int64_t y = 0; y < size(1); ++y)
        for (std::int64_t x = 0; x < size(0); ++x)
          made.pixels.push_back(value(std::array<std::int64_t, 3>{x, y, z}));
    return made;
  }
};

std::array<std::int64_t, 3> moved(std::array<std::int64_t, 3> p, int axis, std::int64_t by) {
  p[static_cast<std::size_t>(axis)] += by;
  return p;
}

plain_image smoothed(plain_image f, double variance) {
  const auto half = discrete_gaussian(variance, 0.01);
  const auto r = std::ssize(half) - 1;
  for (int axis = f.shape.rank() - 1; axis >= 0; --axis)
    f = f.map([&](auto p) {
      double sum = 0;
      for (auto k = -r; k <= r; ++k)
        sum += half[static_cast<std::size_t>(std::abs(k))] * static_cast<double>(f.at(moved(p, axis, k)));
      return static_cast<float>(sum);
    });
  return f;
}

float slope(const plain_image& f, std::array<std::int64_t, 3> p, int axis) {
  return static_cast<float>(0.5 * static_cast<double>(f.at(moved(p, axis, -1))) -
                            0.5 * static_cast<double>(f.at(moved(p, axis, 1))));
}

float second_derivative(const plain_image& f, std::array<std::int64_t, 3> p) {
  float sum = 0, square = 0.0001f;
  for (int i = 0; i < f.shape.rank(); ++i)
    for (int j = i + 1; j < f.shape.rank(); ++j) {
      double mixed = 0;
      for (const int a : {-1, 1})
        for (const int b : {-1, 1})
          mixed += 0.25 * a * b * static_cast<double>(f.at(moved(moved(p, i, a), j, b)));
      sum = static_cast<float>(static_cast<double>(sum) + 2.0 * static_cast<double>(slope(f, p, i)) *
                                                              static_cast<double>(slope(f, p, j)) *
                                                              static_cast<double>(static_cast<float>(mixed)));
    }
  for (int i = 0; i < f.shape.rank(); ++i) {
    const double bend = static_cast<double>(f.at(moved(p, i, -1))) - 2.0 * static_cast<double>(f.at(p)) +
                        static_cast<double>(f.at(moved(p, i, 1)));
    const float along = slope(f, p, i);
    sum += along * along * static_cast<float>(bend);
    square += along * along;
  }
  return sum / square;
}

bool crosses_zero(const plain_image& second, std::array<std::int64_t, 3> p) {
  const float here = second.at(p);
  for (const int step : {-1, 1})
    for (int axis = 0; axis < second.shape.rank(); ++axis) {
      const float there = second.at(moved(p, axis, step));
      const bool other_sign =
          (here < 0 && there > 0) || (here > 0 && there < 0) || (here == 0) != (there == 0);
      if (!other_sign) continue;
      if (std::abs(here) < std::abs(there) || (std::abs(here) == std::abs(there) && step == 1)) return true;
    }
  return false;
}

/// ITK's image before hysteresis.
plain_image steepness(const plain_image& image, double variance) {
  const auto smooth = smoothed(image, variance);
  const auto second = smooth.map([&](auto p) { return second_derivative(smooth, p); });
  return smooth.map([&](auto p) {
    float square = 0.0001f, third = 0;
    for (int i = 0; i < image.shape.rank(); ++i) square += slope(smooth, p, i) * slope(smooth, p, i);
    const float length = std::sqrt(square);
    for (int i = 0; i < image.shape.rank(); ++i)
      third += slope(second, p, i) * (slope(smooth, p, i) / length);
    return third <= 0 && crosses_zero(second, p) ? length : 0.0f;
  });
}

std::vector<std::uint8_t> linked(const plain_image& strong, float low, float high) {
  std::vector<std::uint8_t> edges(strong.pixels.size(), 0);
  for (std::size_t p = 0; p < edges.size(); ++p) edges[p] = strong.pixels[p] > high;
  const plain_image neighbours = strong;
  for (bool changed = true; changed;) {
    changed = false;
    const auto before = edges;
    const auto now = neighbours.map([&](std::array<std::int64_t, 3> p) {
      for (std::int64_t z = p[2] - 1; z <= p[2] + 1; ++z)
        for (std::int64_t y = p[1] - 1; y <= p[1] + 1; ++y)
          for (std::int64_t x = p[0] - 1; x <= p[0] + 1; ++x) {
            if (x < 0 || y < 0 || z < 0 || x >= strong.size(0) || y >= strong.size(1) || z >= strong.size(2))
              continue;
            if (before[static_cast<std::size_t>((z * strong.size(1) + y) * strong.size(0) + x)]) return 1.0f;
          }
      return 0.0f;
    });
    for (std::size_t p = 0; p < edges.size(); ++p)
      if (!edges[p] && now.pixels[p] > 0 && strong.pixels[p] > low) edges[p] = 1, changed = true;
  }
  return edges;
}

template <class T>
std::vector<std::uint8_t> edges_of(const picture<T>& f, const canny_options& options) {
  return values_of<std::uint8_t>(canny(f.view(), options, on_serial));
}

TEST(canny, a_step_is_one_line) {
  picture<std::uint8_t> f{{5, 8}, std::vector<std::uint8_t>(40, 10)};
  for (std::size_t p = 0; p < f.pixels.size(); ++p)
    if (p % 8 >= 4) f.pixels[p] = 200;
  for (const auto flavour : {canny_flavour::itk, canny_flavour::skimage}) {
    const auto edges = edges_of(f, {.flavour = flavour, .low = 10, .high = 20});
    for (std::size_t y = 1; y + 1 < 5; ++y)
      for (std::size_t x = 0; x < 8; ++x)
        EXPECT_LE(edges[8 * y + x], x == 3 || x == 4) << "row " << y << ", column " << x;
    EXPECT_GT(edges[8 * 2 + 3] + edges[8 * 2 + 4], 0);
  }
}

TEST(canny, a_constant_image_has_no_edges) {
  const picture<float> f{{6, 7}, std::vector<float>(42, 3)};
  EXPECT_EQ(edges_of(f, {}), std::vector<std::uint8_t>(42, 0));
  EXPECT_EQ(edges_of(f, {.flavour = canny_flavour::skimage}), std::vector<std::uint8_t>(42, 0));
}

TEST(canny, equals_its_definition) {
  for_random_images("canny", 60, []<class T>(dtype type, neighbours near, dice& from) {
    auto f = draw_picture<T>(from, type, near.rank);
    if (type == dtype::f64) return;  // computed in f64
    plain_image plain{f.shape, {}};
    for (auto& value : f.pixels) {
      value = static_cast<T>(type == dtype::boolean ? from.below(2) : from.below(100));
      plain.pixels.push_back(static_cast<float>(value));
    }
    const double variance = from.pick(std::vector{0.0, 0.4, 1.0, 1.96, 6.0});
    const auto low = static_cast<float>(from.between(0, 12)),
               high = low + static_cast<float>(from.between(0, 12));
    const auto expected = linked(steepness(plain, variance), low, high);
    const auto result = canny(f.view(), {.low = low, .high = high, .variance = {variance}}, on_serial);
    ASSERT_TRUE(same_bits(result, picture<std::uint8_t>{f.shape, expected, dtype::boolean}.view()))
        << "variance " << variance << ", low " << low << ", high " << high;
  });
}

/// Shapes, ramps and ripples: where neighbours are equal, or equally far from zero, estimates are not sure.
/// And noise, and what has no end.
template <class T>
std::vector<picture<T>> even_pictures(double scale) {
  const extents shape{40, 150};
  std::vector<picture<T>> all(6, {shape, {}});
  for (std::int64_t y = 0; y < shape.height(); ++y)
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      const auto dy = static_cast<double>(y - 20), dx = static_cast<double>(x - 70);
      const auto put = [&](std::size_t which, double value) {
        all[which].pixels.push_back(static_cast<T>(scale * value));
      };
      put(0, dy * dy < 100 && dx * dx < 2500 ? 255 : 0);
      put(1, dy * dy + dx * dx < 300 ? 200 : 3 * dx);
      put(2, 8 * dx + 5 * dy);
      put(3, static_cast<double>((x / 3 + y / 5) % 7));
      put(4, static_cast<double>((x * 7919 + y * 104729 + x * y * 31) % 256));
      put(5, x == 33 ? std::numeric_limits<double>::infinity() : x == 90 ? -1e30 : 4 * dy);
    }
  return all;
}

TEST(canny, even_pictures_are_alike_on_the_cpu) {
  const auto compare = []<class T>(T, double scale) {
    for (const auto& f : even_pictures<T>(scale))
      for (const double variance : {0.0, 1.96, 9.0})
        for (const double low : {-1.0, 0.0, 0.5, 20.0}) {
          const canny_options options{.low = low * scale, .high = 2 * low * scale, .variance = {variance}};
          ASSERT_TRUE(
              same_bits(canny(f.view(), options, {.device = "cpu"}), canny(f.view(), options, on_serial)))
              << "scale " << scale << ", variance " << variance << ", low " << low;
        }
  };
  for (const double scale : {1.0, 1e-12, 1e6, 1e9, 1e17, 1e35}) compare(float{}, scale);
  for (const double scale : {1.0, 1e60, 1e80, 1e300}) compare(double{}, scale);
}

TEST(canny, weights_of_the_discrete_gaussian) {
  for (const double variance : {0.1, 1.0, 1.96, 3.7, 3.8, 9.0, 100.0}) {
    const auto half = discrete_gaussian(variance, 0.01);
    double sum = half[0], second = 0;
    for (std::size_t k = 1; k < half.size(); ++k) {
      EXPECT_LT(half[k], half[k - 1]);
      sum += 2 * half[k];
      second += 2 * half[k] * static_cast<double>(k * k);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LT(second, variance) << "what is cut off is missing";
    EXPECT_GT(second, 0.8 * variance);
  }
  EXPECT_EQ(discrete_gaussian(0, 0.01), (std::vector<double>{1, 0}));
  EXPECT_EQ(discrete_gaussian(600, 1e-9).size(), 33u) << "no more than 32 on each side";
}

TEST(canny, stages_are_kept_on_request) {
  const picture<std::uint8_t> f{{3, 5}, {0, 0, 9, 9, 9, 0, 0, 9, 9, 9, 0, 0, 9, 9, 9}};
  picture<std::uint8_t> edges{f.shape, std::vector<std::uint8_t>(15, 7), dtype::boolean};
  picture<std::uint8_t> crossings = edges;
  picture<float> gradient{f.shape, std::vector<float>(15, -1)};
  const std::vector<const_image_view> inputs{f.view()};
  const std::vector<image_view> outputs{edges.view(), gradient.view(), crossings.view()};
  run_operator(*find_operator("canny"), inputs, outputs, {{"variance", std::vector<number>{0}}}, on_serial);
  EXPECT_EQ(crossings.pixels, edges.pixels) << "ITK's thresholds are 0 unless given";
  EXPECT_FLOAT_EQ(gradient.pixels[6], std::sqrt(0.0001f + 4.5f * 4.5f));
  EXPECT_FLOAT_EQ(gradient.pixels[9], 0.01f);
}

/// While it is at work, and not only when all is done.
TEST(canny, tells_its_progress_and_stops_on_the_way) {
  const picture<std::uint8_t> image{{600, 600}, std::vector<std::uint8_t>(600 * 600)},
      volume{{20, 60, 60}, std::vector<std::uint8_t>(20 * 60 * 60)};
  for (const auto* given : {&image, &volume}) {
    std::vector<double> told;
    context how{.device = "cpu", .threads = 1};
    how.progress = [&](double done) { told.push_back(done); };
    canny(given->view(), {}, how);
    EXPECT_TRUE(std::ranges::is_sorted(told));
    EXPECT_GT(told.size(), 8u);
    EXPECT_EQ(told.back(), 1);
    std::stop_source stop;
    how.stop = stop.get_token();
    double last = 1;
    how.progress = [&](double done) {
      last = done;
      if (done >= 0.25) stop.request_stop();
    };
    EXPECT_THROW(canny(given->view(), {}, how), interrupted);
    EXPECT_LT(last, 0.5);
  }
}

TEST(canny, what_is_refused) {
  const picture<std::uint8_t> image{{2, 2}, {1, 2, 3, 4}}, volume{{1, 2, 2}, {1, 2, 3, 4}};
  EXPECT_THROW(edges_of(volume, {.flavour = canny_flavour::skimage}), usage_error);
  EXPECT_THROW(edges_of(image, {.flavour = canny_flavour::skimage, .low = 9, .high = 8}), usage_error);
  EXPECT_THROW(edges_of(image, {.sigma = {-1}}), usage_error);
  EXPECT_THROW(edges_of(image, {.sigma = {1, 1, 1}}), usage_error);
  EXPECT_THROW(edges_of(image, {.variance = {701}}), usage_error);
  EXPECT_THROW(edges_of(image, {.maximum_error = {1}}), usage_error);
  EXPECT_THROW(edges_of(image, {.border = canny_border::wrap}), usage_error);
  EXPECT_THROW(edges_of(image, {.outside = 1}), usage_error);
  EXPECT_THROW(edges_of(image, {.flavour = canny_flavour::skimage, .variance = {2}}), usage_error);
  EXPECT_THROW(edges_of(image, {.flavour = canny_flavour::skimage, .maximum_error = {0.1}}), usage_error);
  const picture<float> with_nan{{1, 2}, {1, std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_THROW(edges_of(with_nan, {}), usage_error);
}

}  // namespace
}  // namespace macareu::test

// gaussian, sobel, median and convolve: known answers, and their definitions in plain loops.
#include <cmath>
#include <numbers>

#include <macareu/catalogue.hpp>

#include "operators/around.hpp"

namespace macareu::test {
namespace {

template <class T>
image filter(const char* name, const picture<T>& f, const arguments& given) {
  const auto* about = find_operator(name);
  return std::move(run_operator(*about, std::array<const_image_view, 1>{f.view()}, given, on_serial)[0]);
}

/// Small enough that sums in f64 are exact.
template <class T>
picture<T> draw_small(dice& from, dtype type, int rank) {
  const auto side = [&](int longest) { return from.between(1, longest); };
  picture<T> drawn{rank == 3 ? extents{side(4), side(5), side(6)} : extents{side(9), side(11)}, {}, type};
  for (auto i = drawn.shape.pixels(); i > 0; --i)
    drawn.pixels.push_back(static_cast<T>(type == dtype::boolean ? from.below(2) : from.between(0, 100)));
  return drawn;
}

TEST(filters, median_by_sorting) {
  for_random_images("median", 60, [&]<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_picture<T>(from, type, near.rank);
    const int side = from.once_in(3) ? 7 : from.once_in(2) ? 5 : 3;
    const std::string border = from.pick(border_names);
    const T outside = type == dtype::boolean ? T{1} : T{3};
    const auto r = side / 2, rz = near.rank == 3 ? r : 0;
    const auto expected = for_pixels<T>(f.shape, [&](auto z, auto y, auto x) {
      std::vector<T> window;
      for (auto dz = -rz; dz <= rz; ++dz)
        for (auto dy = -r; dy <= r; ++dy)
          for (auto dx = -r; dx <= r; ++dx)
            window.push_back(pixel_around(f, border, outside, z + dz, y + dy, x + dx));
      std::ranges::sort(window);
      return window[window.size() / 2];
    });
    const auto got = values_of<T>(
        filter("median", f, {{"size", number(side)}, {"border", border}, {"outside", number(outside)}}));
    ASSERT_TRUE(std::ranges::equal(got, expected)) << "side " << side << ", " << border;  // -0 equals +0
  });
}

TEST(filters, median_takes_three_sizes) {
  const picture<std::uint8_t> f{{2, 2}, {1, 2, 3, 4}};
  EXPECT_EQ(message_of<usage_error>([&] { median(f.view(), {.size = 4}); }),
            "median: size: expected 3, 5 or 7, got 4");
}

TEST(filters, median_refuses_nan_before_it_writes) {
  picture<float> f{{2, 3}, {1, 2, 3, 4, std::nanf(""), 5}};
  EXPECT_EQ(message_of<usage_error>([&] { median(f.view()); }),
            "median: image is NaN at row 1, column 1; replace NaN first, it has no order");
}

/// One component by its definition, exactly.
template <class T>
double component(const picture<T>& f, const std::string& border, T outside, int axis, std::int64_t z,
                 std::int64_t y, std::int64_t x) {
  const int rz = f.shape.rank() == 3 ? 1 : 0;
  const auto smooth = [](int d) { return d == 0 ? 2 : 1; };
  double sum = 0;
  for (int dz = -rz; dz <= rz; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const int weight = (axis == 0 ? dz
                            : rz == 0 ? 1
                                      : smooth(dz)) *
                           (axis == 1 ? dy : smooth(dy)) * (axis == 2 ? dx : smooth(dx));
        sum += weight * static_cast<double>(pixel_around(f, border, outside, z + dz, y + dy, x + dx));
      }
  return sum;
}

TEST(filters, sobel_by_definition) {
  for_random_images("sobel", 60, [&]<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_small<T>(from, type, near.rank);
    const std::string border = from.pick(border_names);
    const bool single = sizeof(T) <= 2 || type == dtype::f32;
    for (const std::string give : {"magnitude", "x", "y", near.rank == 3 ? "z" : "direction"}) {
      const auto result = filter("sobel", f, {{"give", give}, {"border", border}, {"outside", number(1)}});
      ASSERT_EQ(result.type(), single ? dtype::f32 : dtype::f64);
      const auto got = single ? [&] { const auto all = values_of<float>(result); return std::vector<double>(all.begin(), all.end()); }()
                              : values_of<double>(result);
      std::size_t i = 0;
      for_pixels<int>(f.shape, [&](auto z, auto y, auto x) {
        const auto along = [&](int axis) { return component(f, border, T{1}, axis, z, y, x); };
        const double dx = along(2), dy = along(1), dz = near.rank == 3 ? along(0) : 0;
        const double expected = give == "x"           ? dx
                                : give == "y"         ? dy
                                : give == "z"         ? dz
                                : give == "magnitude" ? std::sqrt(dz * dz + dy * dy + dx * dx)
                                                      : std::atan2(dy, dx);
        const bool exact = give.size() == 1;
        const double tolerance = exact ? 0 : (single ? 1.2e-7 : 1e-15) * std::max(1.0, std::abs(expected));
        EXPECT_NEAR(got[i++], expected, tolerance) << give << ", " << border;
        return 0;
      });
    }
  });
}

TEST(filters, sobel_gives_what_the_shape_has) {
  const picture<std::uint8_t> f{{2, 2}, {1, 2, 3, 4}}, v{{1, 2, 2}, {1, 2, 3, 4}};
  EXPECT_EQ(message_of<usage_error>([&] { sobel(f.view(), {.give = sobel_give::z}); }),
            "sobel: give: expected magnitude, direction, x or y for an image, got z");
  EXPECT_EQ(message_of<usage_error>([&] { sobel(v.view(), {.give = sobel_give::direction}); }),
            "sobel: give: expected magnitude, x, y or z for a volume, got direction");
}

TEST(filters, directions_of_the_eight_winds) {
  // A ramp in each direction: what rises towards x has the angle 0.
  constexpr double pi = std::numbers::pi;
  struct wind {
    int dy, dx;
    double angle;
  };
  for (const wind& each :
       {wind{0, 1, 0}, {1, 1, pi / 4}, {1, 0, pi / 2}, {1, -1, 3 * pi / 4}, {0, -1, pi}, {-1, 0, -pi / 2}}) {
    picture<std::int16_t> f{{3, 3}, {}};
    f.pixels = for_pixels<std::int16_t>(
        f.shape, [&](auto, auto y, auto x) { return static_cast<std::int16_t>(each.dy * y + each.dx * x); });
    const auto got = values_of<float>(sobel(f.view(), {.give = sobel_give::direction}, on_serial));
    EXPECT_EQ(got[4], static_cast<float>(each.angle)) << each.dy << ", " << each.dx;
  }
}

std::vector<double> gaussian_weights(double sigma, double truncate) {
  if (sigma == 0) return {1};
  const int r = static_cast<int>(truncate * sigma + 0.5);
  std::vector<double> all;
  double sum = 0;
  for (int k = -r; k <= r; ++k) sum += all.emplace_back(std::exp(-0.5 * k * k / (sigma * sigma)));
  for (auto& weight : all) weight /= sum;
  return all;
}

TEST(filters, gaussian_by_definition) {
  for_random_images("gaussian", 40, [&]<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_small<T>(from, type, near.rank);
    const std::string border = from.pick(border_names);
    std::vector<number> sigma;
    for (int axis = 0; axis < near.rank; ++axis)
      sigma.emplace_back(from.once_in(6) ? 0.0 : static_cast<double>(from.between(1, 25)) / 10);
    picture<double> expected{f.shape, {f.pixels.begin(), f.pixels.end()}};
    for (int axis = 0; axis < near.rank; ++axis) {
      const auto weights = gaussian_weights(sigma[static_cast<std::size_t>(axis)].to_double(), 3);
      const auto r = std::ssize(weights) / 2;
      const auto before = expected;
      const int place = axis + 3 - near.rank;
      if (r == 0) continue;
      expected.pixels = for_pixels<double>(f.shape, [&](auto z, auto y, auto x) {
        double sum = 0;
        for (auto k = -r; k <= r; ++k)
          sum += weights[static_cast<std::size_t>(k + r)] *
                 pixel_around(before, border, 2.5, z + (place == 0 ? k : 0), y + (place == 1 ? k : 0),
                              x + (place == 2 ? k : 0));
        return sum;
      });
    }
    const arguments given{
        {"sigma", sigma}, {"truncate", number(3)}, {"border", border}, {"outside", number(2.5)}};
    const auto with = [&](const char* result_type) {
      auto all = given;
      all.emplace("type", std::string(result_type));
      return filter("gaussian", f, all);
    };
    const auto f32 = values_of<float>(with("f32"));
    const auto f64 = values_of<double>(with("f64"));
    const auto same = with("same");
    ASSERT_EQ(same.type(), type);
    for (std::size_t i = 0; i < f64.size(); ++i) {
      EXPECT_NEAR(f64[i], expected.pixels[i], 1e-12) << border;
      EXPECT_NEAR(f32[i], expected.pixels[i], 1e-4) << border;
      if constexpr (std::is_integral_v<T>) {
        const double held = type == dtype::boolean ? std::min(expected.pixels[i], 1.0) : expected.pixels[i];
        EXPECT_NEAR(static_cast<double>(values_of<T>(same)[i]), held, 0.5001) << border;
      }
    }
  });
}

/// The cpu engine sums along one axis after the other then.
TEST(filters, gaussian_of_a_wide_window_has_the_same_bits_on_the_cpu) {
  dice from(seed_of("wide gaussian"));
  picture<std::uint8_t> f{{40, 600}, {}};
  for (auto i = f.shape.pixels(); i > 0; --i) f.pixels.push_back(static_cast<std::uint8_t>(from.below(256)));
  const auto* about = find_operator("gaussian");
  for (const char* const border : border_names)
    for (const double sigma_y : {2.0, 34.0})
      for (const char* const type : {"f32", "f64"}) {
        const arguments given{{"sigma", std::vector<number>{sigma_y, 34.0}},
                              {"border", std::string(border)},
                              {"outside", number(2.5)},
                              {"type", std::string(type)}};
        const auto expected = filter("gaussian", f, given);
        const auto found =
            run_operator(*about, std::array<const_image_view, 1>{f.view()}, given, {.device = "cpu"});
        EXPECT_TRUE(same_bits(found[0], expected)) << border << " " << sigma_y << " " << type;
      }
}

TEST(filters, gaussian_keeps_its_bound_in_f32) {
  dice from(seed_of("gaussian_bound"));
  picture<std::uint8_t> f{{60, 70}, {}};
  for (auto i = f.shape.pixels(); i > 0; --i) f.pixels.push_back(static_cast<std::uint8_t>(from.below(256)));
  const auto exact = values_of<double>(
      filter("gaussian", f, {{"sigma", std::vector<number>{1.4}}, {"type", std::string("f64")}}));
  const auto got = values_of<float>(filter("gaussian", f, {{"sigma", std::vector<number>{1.4}}}));
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::abs(static_cast<double>(got[i]) - exact[i]), 255 * 2 * (6 + 4) * std::ldexp(1.0, -24));
}

TEST(filters, gaussian_checks_its_parameters) {
  const picture<std::uint8_t> f{{2, 2}, {1, 2, 3, 4}};
  EXPECT_EQ(message_of<usage_error>([&] {
              gaussian(f.view(), {.sigma = {1, 2, 3}});
            }),
            "gaussian: sigma: expected one number, or one for each of 2 axes, got 3");
  EXPECT_EQ(message_of<usage_error>([&] {
              gaussian(f.view(), {.sigma = {1, -2}});
            }),
            "sigma: expected numbers of at least 0, separated by commas, got '1,-2'");
  EXPECT_EQ(message_of<usage_error>([&] { gaussian(f.view(), {.sigma = {5000}}); }),
            "gaussian: sigma times truncate: expected at most 4096 pixels, got 20000");
}

TEST(filters, convolution_by_definition) {
  for_random_images("convolve", 40, [&]<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_small<T>(from, type, near.rank);
    const std::string border = from.pick(border_names);
    const auto side = [&] { return from.between(1, 5); };
    picture<std::int16_t> kernel{near.rank == 3 ? extents{side(), side(), side()} : extents{side(), side()},
                                 {}};
    for (auto i = kernel.shape.pixels(); i > 0; --i)
      kernel.pixels.push_back(static_cast<std::int16_t>(from.between(-9, 9)));
    const auto expected = for_pixels<double>(f.shape, [&](auto z, auto y, auto x) {
      double sum = 0;
      std::size_t i = 0;
      for_pixels<int>(kernel.shape, [&](auto kz, auto ky, auto kx) {
        sum += kernel.pixels[i++] *
               static_cast<double>(pixel_around(f, border, T{1}, z + kernel.shape.depth() / 2 - kz,
                                                y + kernel.shape.height() / 2 - ky,
                                                x + kernel.shape.width() / 2 - kx));
        return 0;
      });
      return sum;
    });
    const auto result =
        run_operator(*find_operator("convolve"), std::array<const_image_view, 2>{f.view(), kernel.view()},
                     {{"border", border}, {"outside", number(1)}, {"type", std::string("f64")}}, on_serial);
    ASSERT_EQ(values_of<double>(result[0]), expected) << border;
  });
}

TEST(filters, a_kernel_has_the_axes_of_the_image) {
  const picture<std::uint8_t> f{{2, 2}, {1, 2, 3, 4}}, v{{1, 2, 2}, {1, 2, 3, 4}};
  EXPECT_EQ(message_of<usage_error>([&] { convolve(f.view(), v.view()); }),
            "convolve: kernel: expected as many axes as the image, 2, got 3");
}

TEST(filters, a_kernel_has_weights) {
  const picture<std::uint8_t> f{{2, 2}, {1, 2, 3, 4}}, none{{0, 3}, {}};
  EXPECT_EQ(message_of<usage_error>([&] { convolve(f.view(), none.view()); }),
            "convolve: kernel is empty: it is 0 x 3");
}

}  // namespace
}  // namespace macareu::test

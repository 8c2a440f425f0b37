// Hidden operators that functions under names of ITK and SciPy are made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <macareu/device_memory.hpp>
#include <macareu/macareu.hpp>

#include "operators/pictures.hpp"
#include "support/same.hpp"
#include "support/types.hpp"

namespace macareu::test {
namespace {

const char* const devices_here[] = {"serial", "cpu"};

image run(const char* name, const std::vector<const_image_view>& inputs, const arguments& given,
          const char* device) {
  return std::move(run_operator(*find_operator(name), inputs, given, {.device = device})[0]);
}

template <class T>
std::vector<std::uint8_t> between(const std::vector<T>& pixels, const arguments& given, const char* device) {
  const picture<T> f{{1, std::ssize(pixels)}, pixels};
  return values_of<std::uint8_t>(run("binary_threshold", {f.view()}, given, device));
}

TEST(binary_threshold, has_both_ends) {
  using mask = std::vector<std::uint8_t>;
  const auto from_to = [](const number& low, const number& high) {
    return arguments{{"low", low}, {"high", high}};
  };
  for (const char* on : devices_here) {
    const std::vector<std::int16_t> whole{-32768, -3, -2, 0, 5, 6, 32767};
    EXPECT_EQ(between(whole, from_to(-3, 5), on), (mask{0, 1, 1, 1, 1, 0, 0}));
    EXPECT_EQ(between(whole, from_to(-2.5, 5.5), on), (mask{0, 0, 1, 1, 1, 0, 0}));
    EXPECT_EQ(between(whole, from_to(5, -3), on), (mask{0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(between(whole, from_to(1, 4), on), (mask{0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(between(whole, from_to(1e9, 2e9), on), (mask{0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(between(whole, {{"low", number(0)}}, on), (mask{0, 0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(between(whole, {{"high", number(0)}}, on), (mask{1, 1, 1, 1, 0, 0, 0}));
    EXPECT_EQ(between(whole, {}, on), (mask{1, 1, 1, 1, 1, 1, 1}));
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> real{-infinity, -0.0F, 0.0F, 0.1F, infinity, NAN};
    EXPECT_EQ(between(real, {}, on), (mask{1, 1, 1, 1, 1, 0}));
    EXPECT_EQ(between(real, from_to(0, 0.1), on), (mask{0, 1, 1, 0, 0, 0})) << "0.1F is above 0.1";
    EXPECT_EQ(between(real, from_to(0.1, 0), on), (mask{0, 0, 0, 0, 0, 0}));
    const std::vector<std::uint64_t> large{0, (1ULL << 53) + 1, ~0ULL};
    EXPECT_EQ(between(large, from_to((1ULL << 53) + 1, ~0ULL), on), (mask{0, 1, 1}));
  }
}

TEST(binary_threshold, gives_two_values_of_any_type) {
  const picture<std::int32_t> f{{1, 3}, {4, 5, 6}};
  const picture<std::uint8_t> m{{1, 2}, {1, 0}, dtype::boolean};
  for (const char* on : devices_here) {
    const auto given = [&](const char* type, const number& inside, const number& outside) {
      return arguments{
          {"low", number(5)}, {"high", number(5)}, {"inside", inside}, {"outside", outside}, {"type", type}};
    };
    EXPECT_EQ(values_of<double>(run("binary_threshold", {f.view()}, given("f64", 0.25, -1), on)),
              (std::vector<double>{-1, 0.25, -1}));
    EXPECT_EQ(values_of<std::int8_t>(run("binary_threshold", {f.view()}, given("i8", -9, 300), on)),
              (std::vector<std::int8_t>{127, -9, 127}));
    EXPECT_EQ(values_of<std::uint8_t>(run("binary_threshold", {f.view()}, given("bool", 0, 7), on)),
              (std::vector<std::uint8_t>{1, 0, 1}));
    EXPECT_EQ(values_of<float>(run("binary_threshold", {m.view()},
                                   {{"low", number(1)}, {"inside", number(2.5)}, {"type", "f32"}}, on)),
              (std::vector<float>{2.5F, 0}));
  }
}

TEST(fill, writes_where_the_mask_is_set) {
  const picture<float> f{{1, 3}, {1, -2, NAN}};
  const picture<std::uint8_t> mask{{1, 3}, {1, 0, 1}, dtype::boolean};
  for (const char* on : devices_here)
    EXPECT_EQ(values_of<float>(run("fill", {f.view(), mask.view()}, {{"value", number(0.5)}}, on)),
              (std::vector<float>{0.5F, -2, 0.5F}));
  EXPECT_EQ(message_of<usage_error>([&] {
              run("fill", {f.view(), f.view()}, {{"value", number(0)}}, "cpu");
            }),
            "fill: mask has pixels of type f32, but must have bool");
}

/// near(z, y, x) for the pixels of a window of 3 around each, those of the border repeated; visit(place,
/// near).
template <class T, class Visit>
void around_each(const picture<T>& f, const Visit& visit) {
  const auto depth = f.shape.depth(), height = f.shape.height(), width = f.shape.width();
  const auto inside = [](std::int64_t i, std::int64_t size) {
    return std::clamp<std::int64_t>(i, 0, size - 1);
  };
  for (std::int64_t i = 0; i < f.shape.pixels(); ++i) {
    const auto z = i / width / height, y = i / width % height, x = i % width;
    visit(static_cast<std::size_t>(i), [&](int dz, int dy, int dx) {
      const auto at =
          (inside(z + dz, depth) * height + inside(y + dy, height)) * width + inside(x + dx, width);
      return f.pixels[static_cast<std::size_t>(at)];
    });
  }
}
template <class Visit>
void over_window(const Visit& visit) {
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) visit(dz, dy, dx);
}

const extents shapes[] = {{9, 40}, {1, 7}, {6, 1}, {5, 6, 7}, {1, 3, 4}};

TEST(contour, is_what_touches_the_background) {
  std::mt19937 random(5);
  for (const auto& shape : shapes) {
    picture<std::uint8_t> f{shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.pixels())),
                            dtype::boolean};
    for (auto& pixel : f.pixels) pixel = random() % 8 != 0;
    auto expected = f.pixels;
    around_each(f, [&](std::size_t at, const auto& near) {
      bool touches = false;
      over_window([&](int dz, int dy, int dx) { touches |= near(dz, dy, dx) == 0; });
      expected[at] = f.pixels[at] && touches;
    });
    for (const char* on : devices_here)
      EXPECT_EQ(values_of<std::uint8_t>(run("contour", {f.view()}, {}, on)), expected) << to_string(shape);
  }
}

TEST(signed_distance, has_the_sign_of_itk) {
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  const picture<float> f{{1, 4}, {2, 0, infinity, infinity}};
  const picture<std::uint32_t> squares{{1, 4}, {7, 0, ~0U, 4}};
  const picture<std::uint8_t> objects{{1, 4}, {0, 1, 1, 0}, dtype::boolean};
  using reals = std::vector<float>;
  for (const char* on : devices_here) {
    const auto of = [&](const const_image_view& distances, arguments given) {
      given.emplace("nowhere", number(9));
      return run("signed_distance", {distances, objects.view()}, given, on);
    };
    EXPECT_EQ(values_of<double>(of(squares.view(), {})), (std::vector<double>{7, 0, -9, 4}));
    const auto inside = values_of<float>(of(f.view(), {}));
    EXPECT_EQ(inside, (reals{2, 0, -9, 9}));
    EXPECT_TRUE(std::signbit(inside[1]));
    EXPECT_EQ(values_of<float>(of(f.view(), {{"negative", "outside"}})), (reals{-2, 0, 9, -9}));
    EXPECT_EQ(values_of<float>(of(f.view(), {{"negative", "none"}})), (reals{2, 0, 9, 9}));
    EXPECT_EQ(values_of<float>(of(f.view(), {{"sign_nowhere", false}})), (reals{2, 0, 9, 9}));
  }
}

/// ITK's steps one by one: sums in f64, all else in Out.
template <class Out, class In>
std::vector<Out> sobel_by_steps(const picture<In>& f, bool legacy) {
  std::vector<Out> lengths(f.pixels.size());
  const bool volume = f.shape.rank() == 3;
  around_each(f, [&](std::size_t at, const auto& near) {
    double sum = 0;
    for (int axis = 2; axis >= (volume ? 0 : 1); --axis) {
      double slope = 0;
      over_window([&](int dz, int dy, int dx) {
        const int step = axis == 2 ? dx : axis == 1 ? dy : dz, beside = (dz != 0) + (dy != 0) + (dx != 0) - 1;
        if (step == 0 || (!volume && dz != 0)) return;
        const double weights[3] = {volume ? (legacy ? 6.0 : 4.0) : 2.0, volume ? (legacy ? 3.0 : 2.0) : 1.0,
                                   1.0};
        slope += step * weights[beside] * static_cast<double>(near(dz, dy, dx));
      });
      const Out rounded = static_cast<Out>(slope), square = rounded * rounded;
      sum += static_cast<double>(square);
    }
    lengths[at] = std::sqrt(static_cast<Out>(sum));
  });
  return lengths;
}

/// Out: what is rounded to.
template <class Out, class T>
void check_sobel() {
  std::mt19937 random(7);
  for (const auto& shape : shapes)
    for (const bool legacy : {true, false}) {
      picture<T> f{shape, std::vector<T>(static_cast<std::size_t>(shape.pixels()))};
      for (auto& pixel : f.pixels)
        pixel = static_cast<T>((static_cast<double>(random()) - 0x1p31) * 0.37 * std::exp2(random() % 20));
      const auto steps = sobel_by_steps<Out>(f, legacy);
      const std::vector<T> expected(steps.begin(), steps.end());
      const arguments given{{"single", std::is_same_v<Out, float>}, {"legacy", legacy}};
      for (const char* on : devices_here)
        EXPECT_EQ(values_of<T>(run("sobel_itk", {f.view()}, given, on)), expected)
            << to_string(shape) << ' ' << on;
    }
}

TEST(sobel_itk, rounds_as_itk) {
  check_sobel<float, float>();
  check_sobel<float, double>();
  check_sobel<double, double>();
}

TEST(sobel_itk, refuses_infinity) {
  const picture<float> f{{2, 2}, {0, 1, -std::numeric_limits<float>::infinity(), 3}};
  for (const char* on : devices_here)
    EXPECT_EQ(message_of<usage_error>([&] { run("sobel_itk", {f.view()}, {}, on); }),
              "sobel_itk: image is not finite");
}

/// SciPy's correlate1d: pairs around a pixel in f64, the outer ones first.
template <class T>
std::vector<double> correlated(const picture<T>& f, int axis, const std::vector<double>& half, bool odd) {
  const std::int64_t sizes[] = {f.shape.depth(), f.shape.height(), f.shape.width()};
  const std::int64_t steps[] = {sizes[1] * sizes[2], sizes[2], 1};
  const auto size = sizes[axis], step = steps[axis];
  std::vector<double> sums;
  for (std::int64_t i = 0; i < f.shape.pixels(); ++i) {
    const auto place = i / step % size;
    const auto at = [&](std::int64_t k) {
      return static_cast<double>(f.pixels[static_cast<std::size_t>(
          i + (std::clamp<std::int64_t>(place + k, 0, size - 1) - place) * step)]);
    };
    double sum = at(0) * half[0];
    for (auto k = std::ssize(half) - 1; k > 0; --k)
      sum += (odd ? at(k) - at(-k) : at(-k) + at(k)) * half[static_cast<std::size_t>(k)];
    sums.push_back(sum);
  }
  return sums;
}

template <class T, class Draw>
void check_correlate(const Draw& draw) {
  std::mt19937 random(11);
  for (const auto& shape : shapes)
    for (const std::size_t count : {1, 2, 5, 8})
      for (const bool odd : {false, true})
        for (int axis = 0; axis < shape.rank(); ++axis) {
          picture<T> f{shape, std::vector<T>(static_cast<std::size_t>(shape.pixels()))};
          for (auto& pixel : f.pixels) pixel = static_cast<T>(draw(random));
          std::vector<double> half(count);
          for (auto& weight : half) weight = static_cast<double>(random()) * 0x1p-34 - (odd ? 0x1p-4 : 0);
          std::vector<T> expected;
          for (const double sum : correlated(f, axis + 3 - shape.rank(), half, odd)) {
            using limits = std::numeric_limits<T>;
            const double cut = std::is_integral_v<T> ? std::trunc(sum) : sum;
            expected.push_back(static_cast<T>(
                std::is_integral_v<T> ? std::clamp<double>(cut, limits::lowest(), limits::max()) : cut));
          }
          const arguments given{{"axis", number(axis)},
                                {"weights", std::vector<number>(half.begin(), half.end())},
                                {"odd", odd},
                                {"border", "nearest"}};
          for (const char* on : devices_here)
            EXPECT_EQ(values_of<T>(run("correlate_axis", {f.view()}, given, on)), expected)
                << to_string(shape) << ", axis " << axis << (odd ? ", odd, " : ", ") << on;
        }
}

TEST(correlate_axis, rounds_as_scipy) {
  const auto real = [](std::mt19937& random) { return static_cast<double>(random()) * 0.37 - 0x1p30; };
  check_correlate<std::uint8_t>([](std::mt19937& random) { return random() % 256; });
  check_correlate<std::int16_t>([](std::mt19937& random) { return random() % 65536 - 32768.0; });
  check_correlate<std::uint16_t>([](std::mt19937& random) { return random() % 65536; });
  check_correlate<float>(real);
  check_correlate<double>(real);
}

TEST(correlate_axis, refuses_an_axis_that_is_not_there) {
  const picture<float> f{{1, 2}, {1, 2}};
  const arguments given{{"axis", number(2)}, {"weights", std::vector<number>{1}}};
  EXPECT_EQ(message_of<usage_error>([&] { run("correlate_axis", {f.view()}, given, "cpu"); }),
            "correlate_axis: axis: expected 0 to 1, got 2");
}

TEST(label_histograms, count_the_pixels_of_chosen_labels) {
  constexpr double beyond = 0x1p40;
  const picture<double> f{{2, 5}, {0, 0.5, 1, 2, 3, 4, -1, beyond, NAN, 2}};
  const picture<std::uint32_t> labels{{2, 5}, {7, 7, 7, 0, 7, 7, 7, 7, 7, 0xffffffff}};
  using counts = std::vector<std::uint64_t>;
  for (const char* on : devices_here) {
    const auto of = [&](const std::vector<number>& chosen, const number& bins, const number& high) {
      const std::vector<const_image_view> given{f.view(), labels.view()};
      const auto found = compute_table(*find_operator("label_histograms"), given,
                                       {{"chosen", chosen}, {"bins", bins}, {"high", high}}, {.device = on});
      return std::get<counts>(found["count"].values);
    };
    EXPECT_EQ(of({7}, 2, 4), (counts{8, 3, 2}));
    EXPECT_EQ(of({9, 0, 7}, 1, 3), (counts{0, 0, 1, 1, 8, 4}));
    EXPECT_EQ(message_of<usage_error>([&] { of({7}, 2, 0); }),
              "label_histograms: low and high: bins have no width");
  }
}

TEST(label_histograms, count_with_more_bins_than_pixels) {
  const picture<std::uint8_t> f{{1, 3}, {0, 200, 255}}, labels{{1, 3}, {2, 1, 2}};
  for (const char* on : devices_here) {
    const auto found = compute_table(*find_operator("label_histograms"), std::vector{f.view(), labels.view()},
                                     {{"chosen", std::vector<number>{1, 2}}}, {.device = on});
    const auto& all = std::get<std::vector<std::uint64_t>>(found["count"].values);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != 0) places.push_back(i);
    EXPECT_EQ(all.size(), 2 * 257u);
    EXPECT_EQ(places, (std::vector<std::size_t>{0, 201, 257, 258, 513})) << on;
  }
}

TEST(device_memory, without_a_gpu_is_an_error) {
  const auto here = devices();
  if (std::ranges::find(here, "cuda") != here.end()) GTEST_SKIP() << "there is a GPU";
  EXPECT_NE(message_of<device_error>([] { device_memory::allocate(1); }), "");
  EXPECT_NE(message_of<device_error>([] { device_memory::wait(); }), "");
  device_memory::release(nullptr);
}

}  // namespace
}  // namespace macareu::test

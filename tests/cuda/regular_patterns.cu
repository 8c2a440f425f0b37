// Windows, weighted sums, summaries and counts on the cuda engine against the serial engine, on odd and
// strided images.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuda/on_gpu.hpp"
#include "engines/cuda/engine.cuh"
#include "engines/serial/engine.hpp"
#include "rules/bins.hpp"
#include "rules/gradient.hpp"
#include "rules/median.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

using cuda_regular_patterns = on_gpu;
using pixel = std::uint8_t;

// Narrow, wide, rows longer than a block's columns, columns longer than a block's rows; and aligned ones.
const extents shapes[] = {{1, 1},     {1, 7},    {9, 1},      {13, 17},   {200, 33},     {3, 2500},
                          {530, 610}, {300, 64}, {260, 1040}, {1, 1, 40}, {5, 300, 131}, {40, 31, 70}};
// For rules that take the serial engine long.
const extents few_pixels[] = {{1, 1},   {1, 7},   {9, 1},     {13, 17},   {150, 40},
                              {3, 200}, {31, 64}, {1, 1, 40}, {9, 20, 35}};
constexpr border_mode all_borders[] = {border_mode::constant, border_mode::nearest, border_mode::reflect,
                                       border_mode::mirror, border_mode::wrap};

/// Random strides, or dense.
template <class T>
struct random_image {
  random_image(dice& from, const extents& shape, bool constant = false)
      : dense(dtype_of<T>, shape), strided(from, dtype_of<T>, shape) {
    for (auto& value : dense.template pixels<T>()) value = static_cast<T>(constant ? 7 : from.below(256));
    strided.assign(dense);
    use_dense = from.once_in(2);
  }
  view<const T> in() const {
    return typed_view<const T>(use_dense ? const_image_view(dense) : const_image_view(strided));
  }

  image dense;
  strided_image strided;
  bool use_dense;
};

template <class Engine, class Run>
auto on(Run run) {
  const context how{};
  job work{how, {}};
  Engine engine(work);
  return run(engine);
}

/// run(engine, out) on both engines, with any strides on the GPU.
template <class Out, class Run>
void compare(dice& from, const extents& shape, const std::string& what, Run run) {
  strided_image got(from, dtype_of<Out>, shape);
  image dense(dtype_of<Out>, shape), expected(dtype_of<Out>, shape);
  const auto into = [&](const image_view& out) {
    return [&run, out](auto& engine) {
      run(engine, typed_view<Out>(out));
      engine.finish();
    };
  };
  on<serial::engine>(into(expected));
  on<cuda::engine>(into(got.view()));
  EXPECT_TRUE(same_bits(got, expected)) << what << ", " << to_string(shape);
  EXPECT_TRUE(got.gaps_untouched()) << what;
  on<cuda::engine>(into(dense));
  EXPECT_TRUE(same_bits(dense, expected)) << what << ", dense, " << to_string(shape);
}

template <class Value, class Out, class Rule>
void compare_windows(const char* name, const Rule& rule, std::span<const extents> of_shapes = shapes) {
  for (const auto& shape : of_shapes)
    for (const auto mode : all_borders) {
      dice from(seed_of(name, shape.pixels(), mode));
      const random_image<Value> a(from, shape);
      compare<Out>(from, shape, name, [&](auto& engine, view<Out> out) {
        engine.window(rule, border<Value>{mode, 5}, out, a.in());
      });
    }
}

TEST_F(cuda_regular_patterns, gradients) {
  compare_windows<pixel, float>("sobel of bytes", gradient_magnitude<2, float>{});
  compare_windows<pixel, float>("sobel of bytes in volumes", gradient_magnitude<3, float>{});
  compare_windows<float, float>("sobel of floats", gradient_magnitude<2, float>{});
  compare_windows<double, double>("sobel along y", gradient_along<2, double, 1>{});
  compare_windows<float, float>("direction", gradient_direction<float>{});
}

TEST_F(cuda_regular_patterns, medians) {
  compare_windows<pixel, pixel>("median 3", median_window<2, 3, pixel>{0});
  compare_windows<std::uint16_t, std::uint16_t>("median 5", median_window<2, 5, std::uint16_t>{0x8000},
                                                few_pixels);
  compare_windows<float, float>("median 3^3", median_window<3, 3, float>{0}, few_pixels);
  compare_windows<std::uint16_t, std::uint16_t>("median 5^3", median_by_bits<2, std::uint16_t>{8},
                                                few_pixels);
}

template <class F, class In>
void compare_separable(const char* name, bool both_alike) {
  for (const auto& shape : shapes)
    for (const auto mode : all_borders) {
      dice from(seed_of(name, shape.pixels(), mode, both_alike));
      const random_image<In> a(from, shape);
      separable_weights<F> weights;
      for (auto& half : weights)
        for (auto r = from.between(0, 11); r > 0; --r)
          half.push_back(static_cast<F>(from.between(1, 9)) / 10);
      if (both_alike) {
        weights[0].clear();
        weights[2] = weights[1];
      }
      compare<F>(from, shape, name, [&](auto& engine, view<F> out) {
        engine.separable(weights, border<F>{mode, F{2.5}}, out, a.in());
      });
    }
}

TEST_F(cuda_regular_patterns, separable_sums) {
  compare_separable<float, pixel>("sums of bytes", true);
  compare_separable<float, float>("sums of floats", true);
  compare_separable<float, pixel>("sums of bytes along any axes", false);
  compare_separable<double, double>("sums of doubles", false);
}

TEST_F(cuda_regular_patterns, weighted_sums) {
  for (const auto& shape : shapes)
    for (const auto mode : all_borders) {
      dice from(seed_of("cuda_weighted", shape.pixels(), mode));
      const random_image<pixel> a(from, shape);
      std::vector<tap<float>> taps;
      for (auto count = from.between(0, 20); count > 0; --count)
        taps.push_back({static_cast<int>(from.between(-2, 1)), static_cast<int>(from.between(-1, 3)),
                        static_cast<int>(from.between(-4, 4)),
                        static_cast<float>(from.between(-30, 30)) / 7});
      compare<float>(from, shape, "weighted", [&](auto& engine, view<float> out) {
        engine.weighted(std::span<const tap<float>>(taps), border<float>{mode, -1.5f}, out, a.in());
      });
    }
}

template <class T>
void compare_summaries() {
  for (const auto& shape : shapes)
    for (const bool constant : {false, true}) {
      dice from(seed_of("cuda_summary", shape.pixels(), constant, sizeof(T)));
      const random_image<T> a(from, shape, constant);
      const auto run = [&](auto& engine) {
        const auto in = a.in();
        return engine.reduce(summary_of<T>{in.height, in.width}, in);
      };
      EXPECT_TRUE(on<cuda::engine>(run) == on<serial::engine>(run))
          << name_of(dtype_of<T>) << ", " << to_string(shape) << (constant ? ", constant" : "");
    }
}

TEST_F(cuda_regular_patterns, summaries) {
  compare_summaries<std::uint8_t>();
  compare_summaries<std::int8_t>();
  compare_summaries<std::int16_t>();
  compare_summaries<std::uint32_t>();
  compare_summaries<std::int64_t>();
  compare_summaries<float>();
}

template <class T, class Rule>
void compare_counts(const char* name, const Rule& rule, std::size_t bins) {
  for (const auto& shape : shapes)
    for (const bool constant : {false, true}) {
      dice from(seed_of(name, shape.pixels(), constant));
      const random_image<T> a(from, shape, constant);
      const auto run = [&](auto& engine) {
        std::vector<std::uint64_t> counts(bins, 1);
        engine.histogram(rule, counts, a.in());
        return counts;
      };
      EXPECT_EQ(on<cuda::engine>(run), on<serial::engine>(run)) << name << ", " << to_string(shape);
    }
}

TEST_F(cuda_regular_patterns, counts) {
  compare_counts<pixel>("all bytes", value_bins<pixel>{0}, 256);
  compare_counts<pixel>("some bytes", value_bins<pixel>{100}, 50);
  compare_counts<std::int16_t>("shorts", value_bins<std::int16_t>{3}, 100);
  compare_counts<float>("equal bins", equal_bins(10, 99.5, 37), 37);
  compare_counts<float>("many bins", equal_bins(0, 255, 30000), 30000);
}

}  // namespace
}  // namespace macareu::test

// Windows, weighted sums, summaries and counts on the cuda engine against the serial engine, on odd and
// strided images.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/on_gpu.hpp"
#include "engines/cuda/engine.cuh"
#include "engines/serial/engine.hpp"
#include "operators/filters/gradient.hpp"
#include "operators/filters/median_window.hpp"
#include "operators/measures/bins.hpp"
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
  framed<const T> in() const {
    return memory_image<const T>(use_dense ? const_image_view(dense) : const_image_view(strided));
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
      run(engine, memory_image<Out>(out));
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
      compare<Out>(from, shape, name, [&](auto& engine, const framed<Out>& out) {
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
      } else {
        for (auto& odd : weights.odd) odd = from.once_in(3);
      }
      compare<F>(from, shape, name, [&](auto& engine, const framed<F>& out) {
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

/// Memory of host and GPU together, which kernels use as it lies.
template <class T>
class managed_pixels {
 public:
  struct layout {
    std::int64_t first, gap, step_x;
    bool upside_down = false;
  };

  managed_pixels(const extents& shape, const layout& how, T fill) {
    const auto pitch = (shape.width() * how.step_x + 3) / 4 * 4 + how.gap, slice = pitch * shape.height();
    count_ = how.first + slice * shape.depth();
    void* memory = nullptr;
    cuda::check(cudaMallocManaged(&memory, static_cast<std::size_t>(count_) * sizeof(T)), "managed memory");
    memory_.reset(static_cast<T*>(memory));
    std::fill_n(memory_.get(), count_, fill);
    T* const begin = memory_.get() + how.first + (how.upside_down ? slice - pitch : 0);
    pixels_ = {begin,         shape.depth(), shape.height(),
               shape.width(), slice,         how.upside_down ? -pitch : pitch,
               how.step_x};
  }

  const view<T>& pixels() const { return pixels_; }
  std::span<const T> memory() const { return {memory_.get(), static_cast<std::size_t>(count_)}; }

 private:
  struct release {
    void operator()(T* memory) const { cudaFree(memory); }
  };
  std::unique_ptr<T[], release> memory_;
  std::int64_t count_ = 0;
  view<T> pixels_;
};

/// The layouts of the input and, turned by the radius, of the output.
template <class T>
constexpr typename managed_pixels<T>::layout layouts[] = {
    {4, 8, 1}, {0, 0, 1, true}, {1, 0, 1}, {0, 3, 1}, {2, 1, 2}};

template <class In>
void compare_separable_as_it_lies(int r, const extents& shape, border_mode mode) {
  dice from(seed_of("as it lies", shape.pixels(), mode, r, sizeof(In)));
  image given(dtype_of<In>, shape), expected(dtype_of<float>, shape);
  for (auto& value : given.template pixels<In>())
    value = static_cast<In>(from.below(std::is_same_v<In, bool> ? 2 : 256));
  std::vector<float> half;
  for (int k = 0; k <= r; ++k) half.push_back(static_cast<float>(from.between(1, 9)) / 10);
  const separable_weights<float> weights{std::vector<float>{}, half, half};
  const auto run = [&](const framed<float>& out, const framed<const In>& in) {
    return [&weights, mode, out, in](auto& engine) {
      engine.separable(weights, border<float>{mode, 2.5f}, out, in);
      engine.finish();
    };
  };
  const auto before = typed_view<const In>(const_image_view(given));
  const auto after = typed_view<float>(image_view(expected));
  on<serial::engine>(run(framed(after), framed(before)));

  const auto for_each_site = [&](const auto& visit) {
    for (std::int64_t z = 0; z < shape.depth(); ++z)
      for (std::int64_t y = 0; y < shape.height(); ++y)
        for (std::int64_t x = 0; x < shape.width(); ++x) visit(site{z, y, x});
  };
  for (std::size_t i = 0; i < std::size(layouts<In>); ++i) {
    const auto nan = std::numeric_limits<float>::quiet_NaN();
    const managed_pixels<In> in(
        shape, layouts<In>[i], In {});
    const managed_pixels<float> out(
        shape, layouts<float>[(i + static_cast<std::size_t>(r)) % std::size(layouts<float>)], nan);
    for_each_site([&](site p) { in.pixels()[p] = before[p]; });
    on<cuda::engine>(run(framed(out.pixels()), framed<const In>(in.pixels())));
    std::int64_t wrong = 0;
    for_each_site([&](site p) {
      wrong += std::bit_cast<std::uint32_t>(out.pixels()[p]) != std::bit_cast<std::uint32_t>(after[p]);
    });
    EXPECT_EQ(wrong, 0) << "radius " << r << ", " << to_string(shape) << ", border " << static_cast<int>(mode)
                        << ", layout " << i;
    const auto written = std::ranges::count_if(out.memory(), [](float value) { return !std::isnan(value); });
    EXPECT_EQ(written, shape.pixels()) << "radius " << r << ", layout " << i << ": pixels and nothing else";
  }
}

/// Blocks write 496 columns and 128 rows, of images from 1000 x (260 + r) on without meeting their border.
template <class In>
void compare_separable_as_it_lies(std::initializer_list<int> radii) {
  for (const int r : radii)
    for (const auto mode : all_borders)
      for (const auto& shape : {extents{260 + r, 1000}, extents{259 + r, 1003}, extents{2, 270, 1004},
                                extents{131, 497}, extents{5, 495}, extents{1, 496}})
        compare_separable_as_it_lies<In>(r, shape, mode);
}

TEST_F(cuda_regular_patterns, separable_sums_as_they_lie) {
  compare_separable_as_it_lies<pixel>({1, 2, 3, 4, 5, 6, 7, 8});
  compare_separable_as_it_lies<float>({1, 2, 3, 4, 5, 6, 7, 8});
  compare_separable_as_it_lies<std::int8_t>({2, 7});
  compare_separable_as_it_lies<bool>({6});
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
      compare<float>(from, shape, "weighted", [&](auto& engine, const framed<float>& out) {
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
        return engine.reduce(summary_of<T>{in.whole()}, in);
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

/// More than the blocks of a GPU take in one step, in whole steps and not, aligned and not: extremes that are
/// there several times, such that are found anew in every step, and one value only.
template <class T>
void compare_summaries_of_many_bytes() {
  const std::function<std::int64_t(std::int64_t)> fills[] = {
      [](auto i) {
        constexpr std::int64_t apart = 300'007;
        return i % apart == 12'345 ? 3 : i % apart == 777 ? 120 : 5 + i * 7919 % 97;
      },
      [](auto i) { return i / 50'000; }, [](auto i) { return 255 - i / 50'000; }, [](auto) { return 7; }};
  for (const auto& shape : {extents{1300, 8192}, extents{1301, 8256}, extents{3, 433, 8256},
                            extents{1301, 8204}, extents{1, 12'000'007}})
    for (const std::int64_t first : {0, 4})
      for (std::size_t fill = 0; fill < std::size(fills); ++fill) {
        const managed_pixels<T> given(shape, {first, 0, 1}, T{});
        const auto in = given.pixels();
        const auto count = in.pixels();
        for (std::int64_t i = 0; i < count; ++i) in.data[i] = static_cast<T>(fills[fill](i));
        const auto run = [&](auto& engine) {
          const framed<const T> image(in);
          return engine.reduce(summary_of<T>{image.whole()}, image);
        };
        EXPECT_TRUE(on<cuda::engine>(run) == on<serial::engine>(run))
            << name_of(dtype_of<T>) << ", " << to_string(shape) << " from " << first << ", fill " << fill;
      }
}

TEST_F(cuda_regular_patterns, summaries_of_many_bytes) {
  compare_summaries_of_many_bytes<std::uint8_t>();
  compare_summaries_of_many_bytes<std::int8_t>();
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

// weighted, separable, summary and wide windows on both engines against loops written by hand, on strided and
// odd images.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/wide.hpp"
#include "engines/cpu/engine.hpp"
#include "engines/serial/engine.hpp"
#include "support/dice.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

using pixel = std::uint8_t;

// Some rows are longer than a strip, some images higher than a band.
const extents shapes[] = {{1, 1},    {1, 7},     {9, 1},    {13, 17},  {200, 3},   {3, 2500},
                          {150, 90}, {1, 1, 11}, {5, 1, 1}, {4, 5, 6}, {7, 70, 31}};
constexpr border_mode all_borders[] = {border_mode::constant, border_mode::nearest, border_mode::reflect,
                                       border_mode::mirror, border_mode::wrap};

template <class Test>
void on_engines(Test test) {
  const context alone{};
  job serial_work{alone, {}};
  test(serial::engine(serial_work), "serial");
  for (const int threads : {1, 3}) {
    const context how{.threads = threads};
    job work{how, {}};
    test(cpu::engine(work), "cpu, " + std::to_string(threads) + " threads");
  }
}

struct random_image {
  random_image(dice& from, const extents& s)
      : shape(s), values(static_cast<std::size_t>(s.pixels())), strided(from, dtype::u8, s) {
    for (auto& value : values) value = static_cast<pixel>(from.below(256));
    strided.assign(const_image_view(values.data(), shape));
  }
  framed<const pixel> in() const { return memory_image<const pixel>(strided.view()); }

  extents shape;
  std::vector<pixel> values;
  strided_image strided;
};

/// Values of any type in C order, and what lies around them.
template <class F>
struct plane {
  extents shape;
  std::vector<F> values;

  F at(border_mode mode, F outside, std::int64_t z, std::int64_t y, std::int64_t x) const {
    const auto folded = [&](std::int64_t i, std::int64_t size) -> std::int64_t {
      while (mode != border_mode::constant && (i < 0 || i >= size)) {
        if (mode == border_mode::nearest) i = i < 0 ? 0 : size - 1;
        if (mode == border_mode::wrap) i += i < 0 ? size : -size;
        if (mode == border_mode::reflect) i = i < 0 ? -1 - i : 2 * size - 1 - i;
        if (mode == border_mode::mirror) i = size == 1 ? 0 : i < 0 ? -i : 2 * size - 2 - i;
      }
      return i;
    };
    z = folded(z, shape.depth());
    y = folded(y, shape.height());
    x = folded(x, shape.width());
    const bool inside =
        z >= 0 && z < shape.depth() && y >= 0 && y < shape.height() && x >= 0 && x < shape.width();
    return inside ? values[static_cast<std::size_t>((z * shape.height() + y) * shape.width() + x)] : outside;
  }

  template <class Value>
  plane map(Value value) const {
    plane result{shape, {}};
    for (std::int64_t z = 0; z < shape.depth(); ++z)
      for (std::int64_t y = 0; y < shape.height(); ++y)
        for (std::int64_t x = 0; x < shape.width(); ++x) result.values.push_back(value(z, y, x));
    return result;
  }
};

TEST(window_patterns, separable) {
  for (const auto& shape : shapes)
    for (const auto mode : all_borders) {
      const auto seed = seed_of("separable", shape.pixels(), mode);
      dice from(seed);
      const random_image a(from, shape);
      separable_weights<float> weights;
      for (auto& half : weights)
        for (auto r = from.between(-1, 5); r >= 0; --r)
          half.push_back(static_cast<float>(from.between(1, 9)) / 10);
      for (auto& odd : weights.odd) odd = from.once_in(3);
      const float outside = 2.5f;
      plane<float> expected{shape, std::vector<float>(a.values.begin(), a.values.end())};
      for (int axis = 0; axis < 3; ++axis) {
        const auto& half = weights[static_cast<std::size_t>(axis)];
        if (half.empty()) continue;
        const auto before = expected;
        expected = before.map([&](auto z, auto y, auto x) {
          const auto beside = [&](std::int64_t k) {
            return before.at(mode, outside, z + (axis == 0 ? k : 0), y + (axis == 1 ? k : 0),
                             x + (axis == 2 ? k : 0));
          };
          float sum = beside(0) * half[0];
          for (auto k = std::ssize(half) - 1; k > 0; --k) {
            const bool odd = weights.odd[static_cast<std::size_t>(axis)];
            const float pair = odd ? beside(k) - beside(-k) : beside(-k) + beside(k);
            sum = sum + pair * half[static_cast<std::size_t>(k)];
          }
          return sum;
        });
      }
      on_engines([&](const auto& engine, const std::string& name) {
        strided_image out(from, dtype::f32, shape);
        engine.separable(weights, border<float>{mode, outside}, memory_image<float>(out.view()), a.in());
        EXPECT_TRUE(same_bits(out, const_image_view(expected.values.data(), shape)))
            << name << ", mode " << static_cast<int>(mode) << ", seed " << seed;
        EXPECT_TRUE(out.gaps_untouched()) << name;
      });
    }
}

TEST(window_patterns, weighted) {
  for (const auto& shape : shapes)
    for (const auto mode : all_borders) {
      const auto seed = seed_of("weighted", shape.pixels(), mode);
      dice from(seed);
      const random_image a(from, shape);
      std::vector<tap<double>> taps;
      for (auto count = from.between(1, 20); count > 0; --count)
        taps.push_back({static_cast<int>(from.between(-2, 1)), static_cast<int>(from.between(-1, 3)),
                        static_cast<int>(from.between(-4, 4)),
                        static_cast<double>(from.between(-30, 30)) / 7});
      const plane<double> values{shape, std::vector<double>(a.values.begin(), a.values.end())};
      const auto expected = values.map([&](auto z, auto y, auto x) {
        double sum = 0;
        for (const auto& each : taps)
          sum = sum + each.weight * values.at(mode, -1.5, z + each.dz, y + each.dy, x + each.dx);
        return sum;
      });
      on_engines([&](const auto& engine, const std::string& name) {
        strided_image out(from, dtype::f64, shape);
        engine.weighted(std::span<const tap<double>>(taps), border<double>{mode, -1.5},
                        memory_image<double>(out.view()), a.in());
        EXPECT_TRUE(same_bits(out, const_image_view(expected.values.data(), shape)))
            << name << ", mode " << static_cast<int>(mode) << ", seed " << seed;
        EXPECT_TRUE(out.gaps_untouched()) << name;
      });
    }
}

/// Lopsided, and works on vectors: the lesser of two neighbours, and the root of their sum.
struct wide_rule {
  static constexpr bool wide = true;
  using value = float;
  static constexpr window_radius radius() { return {1, 2, 3}; }
  template <class Near>
  auto operator()(site, const Near& near) const {
    const auto of = [](auto v) {
      if constexpr (std::is_arithmetic_v<decltype(v)>)
        return static_cast<float>(v);
      else
        return v;
    };
    return root(of(near(-1, 2, -3)) + of(near(1, 0, 3))) * lesser(of(near(0, -2, 1)), of(near(0, 0, 0)));
  }
};

TEST(window_patterns, wide_windows) {
  for (const auto& shape : shapes)
    for (const auto mode : all_borders) {
      const auto seed = seed_of("wide", shape.pixels(), mode);
      dice from(seed);
      const random_image a(from, shape);
      const plane<float> values{shape, std::vector<float>(a.values.begin(), a.values.end())};
      const auto expected = values.map([&](auto z, auto y, auto x) {
        const auto near = [&](int dz, int dy, int dx) { return values.at(mode, 9, z + dz, y + dy, x + dx); };
        return std::sqrt(near(-1, 2, -3) + near(1, 0, 3)) * std::min(near(0, -2, 1), near(0, 0, 0));
      });
      on_engines([&](const auto& engine, const std::string& name) {
        strided_image out(from, dtype::f32, shape);
        engine.window(wide_rule{}, border<pixel>{mode, 9}, memory_image<float>(out.view()), a.in());
        EXPECT_TRUE(same_bits(out, const_image_view(expected.values.data(), shape)))
            << name << ", mode " << static_cast<int>(mode) << ", seed " << seed;
        EXPECT_TRUE(out.gaps_untouched()) << name;
      });
    }
}

template <class T>
void compare_summaries() {
  for (const auto& shape : shapes)
    for (const bool ends : {false, true}) {
      const auto seed = seed_of("summary", shape.pixels(), ends, sizeof(T), std::is_signed_v<T>);
      dice from(seed);
      std::vector<T> values(static_cast<std::size_t>(shape.pixels()));
      for (auto& value : values)
        value = ends ? (from.once_in(2) ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max())
                     : static_cast<T>(from.between(0, 100));
      strided_image image(from, dtype_of<T>, shape);
      image.assign(const_image_view(values.data(), shape));
      summary<T> expected{};
      const auto low = std::ranges::min_element(values), high = std::ranges::max_element(values);
      expected.lowest = to_key(*low);
      expected.highest = to_key(*high);
      expected.lowest_at = low - values.begin();
      expected.highest_at = high - values.begin();
      for (const T value : values) {
        if constexpr (std::is_integral_v<T>) expected.sum += value;
        if constexpr (has_squares<T>)
          expected.squares += static_cast<uint128>(static_cast<int128>(value) * static_cast<int128>(value));
      }
      on_engines([&](const auto& engine, const std::string& name) {
        const auto in = memory_image<const T>(image.view());
        EXPECT_TRUE(engine.reduce(summary_of<T>{in.whole()}, in) == expected)
            << name << ", " << name_of(dtype_of<T>) << ", seed " << seed;
      });
    }
}

TEST(window_patterns, summary) {
  compare_summaries<std::uint8_t>();
  compare_summaries<std::int8_t>();
  compare_summaries<std::uint16_t>();
  compare_summaries<std::int16_t>();
  compare_summaries<std::uint32_t>();
  compare_summaries<std::int32_t>();
  compare_summaries<std::uint64_t>();
  compare_summaries<std::int64_t>();
  compare_summaries<float>();
  compare_summaries<double>();
}

}  // namespace
}  // namespace macareu::test

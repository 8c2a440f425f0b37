// map, window, reduce and histogram on both engines against loops written by hand, on strided and odd images.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "engines/cpu/engine.hpp"
#include "engines/cpu/reduce/run_histogram.hpp"
#include "engines/serial/engine.hpp"
#include "support/dice.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

using pixel = std::int16_t;

// Some sides are above what one thread takes at a time.
const extents shapes[] = {{1, 1},     {1, 7},     {9, 1},    {13, 17},  {200, 3},    {3, 20000},
                          {300, 301}, {1, 1, 11}, {5, 1, 1}, {4, 5, 6}, {40, 31, 70}};

/// Calls test(engine) with the serial engine and with the cpu engine on 1, 2 and 3 threads.
template <class Test>
void on_engines(Test test) {
  const context alone{};
  job serial_work{alone, {}};
  test(serial::engine(serial_work), "serial");
  for (const int threads : {1, 2, 3}) {
    const context how{.threads = threads};
    job work{how, {}};
    test(cpu::engine(work), "cpu, " + std::to_string(threads) + " threads");
  }
}

/// A strided image and the same values in C order.
struct random_image {
  random_image(dice& from, const extents& shape)
      : values(static_cast<std::size_t>(shape.pixels())), strided(from, dtype::i16, shape) {
    for (auto& value : values) value = static_cast<pixel>(from.between(-300, 300));
    strided.assign(const_image_view(values.data(), shape));
  }
  framed<const pixel> in() const { return memory_image<const pixel>(strided.view()); }
  pixel at(const extents& shape, std::int64_t z, std::int64_t y, std::int64_t x) const {
    return values[static_cast<std::size_t>((z * shape.height() + y) * shape.width() + x)];
  }

  std::vector<pixel> values;
  strided_image strided;
};

template <class Visit>
void for_each_pixel(const extents& shape, Visit visit) {
  for (std::int64_t z = 0, i = 0; z < shape.depth(); ++z)
    for (std::int64_t y = 0; y < shape.height(); ++y)
      for (std::int64_t x = 0; x < shape.width(); ++x, ++i) visit(static_cast<std::size_t>(i), z, y, x);
}

struct weighted_sum {
  std::int32_t factor;
  std::int32_t operator()(site p, pixel a, pixel b) const {
    return factor * a - b + static_cast<std::int32_t>(100 * p.z + 10 * p.y + p.x);
  }
};

TEST(patterns, map) {
  for (const auto& shape : shapes) {
    const auto seed = seed_of("map", shape.pixels());
    dice from(seed);
    const random_image a(from, shape), b(from, shape);
    std::vector<std::int32_t> expected(a.values.size());
    for_each_pixel(shape, [&](std::size_t i, auto z, auto y, auto x) {
      expected[i] = 3 * a.values[i] - b.values[i] + static_cast<std::int32_t>(100 * z + 10 * y + x);
    });
    on_engines([&](const auto& engine, const std::string& name) {
      strided_image out(from, dtype::i32, shape);
      engine.map(weighted_sum{3}, memory_image<std::int32_t>(out.view()), a.in(), b.in());
      EXPECT_TRUE(same_bits(out, const_image_view(expected.data(), shape))) << name << ", seed " << seed;
      EXPECT_TRUE(out.gaps_untouched()) << name;
    });
  }
}

TEST(patterns, map_in_place) {
  struct double_it {
    pixel operator()(site, pixel value) const { return static_cast<pixel>(2 * value); }
  };
  dice from(seed_of("map_in_place"));
  const extents shape{37, 211};
  on_engines([&](const auto& engine, const std::string& name) {
    const random_image a(from, shape);
    auto expected = a.values;
    for (auto& value : expected) value = static_cast<pixel>(2 * value);
    engine.map(double_it{}, memory_image<pixel>(a.strided.view()), a.in());
    EXPECT_TRUE(same_bits(a.strided, const_image_view(expected.data(), shape))) << name;
  });
}

constexpr border_mode all_borders[] = {border_mode::constant, border_mode::nearest, border_mode::reflect,
                                       border_mode::mirror, border_mode::wrap};

/// Asymmetric in every axis, and reads as far as its radius.
struct lopsided {
  window_radius radius() const { return {2, 2, 2}; }
  template <class Near>
  std::int64_t operator()(site p, const Near& near) const {
    return near(0, 0, 0) + 2 * near(-1, 0, 0) + 3 * near(1, 0, 0) + 5 * near(0, -2, 1) + 7 * near(0, 2, 0) +
           11 * near(0, 0, -2) + 13 * near(2, -1, 2) + 17 * p.x;
  }
};

/// The value at any coordinate, from the definition of each mode in words.
std::int64_t outside_index(border_mode mode, std::int64_t i, std::int64_t size) {
  if (mode == border_mode::nearest) return std::clamp<std::int64_t>(i, 0, size - 1);
  while (i < 0 || i >= size) {
    if (mode == border_mode::wrap)
      i += i < 0 ? size : -size;
    else if (mode == border_mode::mirror)
      i = size == 1 ? 0 : i < 0 ? -i : 2 * size - 2 - i;
    else
      i = i < 0 ? -1 - i : 2 * size - 1 - i;
  }
  return i;
}

TEST(patterns, window) {
  for (const auto& shape : shapes)
    for (const auto mode : all_borders) {
      const auto seed = seed_of("window", shape.pixels(), mode);
      dice from(seed);
      const random_image a(from, shape);
      std::vector<std::int64_t> expected(a.values.size());
      for_each_pixel(shape, [&](std::size_t i, auto z, auto y, auto x) {
        const auto near = [&](int dz, int dy, int dx) -> std::int64_t {
          const auto qz = z + dz, qy = y + dy, qx = x + dx;
          const bool inside = qz >= 0 && qz < shape.depth() && qy >= 0 && qy < shape.height() && qx >= 0 &&
                              qx < shape.width();
          if (!inside && mode == border_mode::constant) return -5;
          return a.at(shape, outside_index(mode, qz, shape.depth()), outside_index(mode, qy, shape.height()),
                      outside_index(mode, qx, shape.width()));
        };
        expected[i] = near(0, 0, 0) + 2 * near(-1, 0, 0) + 3 * near(1, 0, 0) + 5 * near(0, -2, 1) +
                      7 * near(0, 2, 0) + 11 * near(0, 0, -2) + 13 * near(2, -1, 2) + 17 * x;
      });
      on_engines([&](const auto& engine, const std::string& name) {
        strided_image out(from, dtype::i64, shape);
        engine.window(lopsided{}, border<pixel>{mode, -5}, memory_image<std::int64_t>(out.view()), a.in());
        EXPECT_TRUE(same_bits(out, const_image_view(expected.data(), shape)))
            << name << ", mode " << static_cast<int>(mode) << ", seed " << seed;
      });
    }
}

/// Sum, and the largest place of a pixel whose two values are equal.
struct sum_and_last {
  struct value {
    std::int64_t sum, last;
    bool operator==(const value&) const = default;
  };
  value identity() const { return {0, -1}; }
  value lift(site p, pixel a, pixel b) const { return {a, a == b ? (p.z * 1000 + p.y) * 100000 + p.x : -1}; }
  value join(value a, value b) const { return {a.sum + b.sum, std::max(a.last, b.last)}; }
};

TEST(patterns, reduce) {
  for (const auto& shape : shapes) {
    const auto seed = seed_of("reduce", shape.pixels());
    dice from(seed);
    const random_image a(from, shape), b(from, shape);
    sum_and_last::value expected{0, -1};
    for_each_pixel(shape, [&](std::size_t i, auto z, auto y, auto x) {
      expected.sum += a.values[i];
      if (a.values[i] == b.values[i]) expected.last = (z * 1000 + y) * 100000 + x;
    });
    on_engines([&](const auto& engine, const std::string& name) {
      EXPECT_TRUE(engine.reduce(sum_and_last{}, a.in(), b.in()) == expected) << name << ", seed " << seed;
    });
  }
}

/// Weighs by column; some bins are out of range and must be ignored.
struct weighted_bins {
  template <class Sink>
  void operator()(site p, const Sink& sink, pixel a) const {
    sink.add(a / 10, static_cast<std::uint64_t>(p.x + 1));
  }
};

/// Also where the engine does not count pairs.
TEST(patterns, pairs_of_bytes) {
  dice from(seed_of("pairs_of_bytes"));
  enum class kind { random, narrow, alike, first_in_word, last_in_word, now_and_then };
  for (const auto made : {kind::random, kind::narrow, kind::alike, kind::first_in_word, kind::last_in_word,
                          kind::now_and_then}) {
    cpu::thread_bytes counted(true);
    cpu::byte_bins expected{};
    for (int piece = 0; piece < 40; ++piece) {
      constexpr std::size_t width = 1009, height = 60;  // no whole groups of 16
      std::vector<std::uint8_t> pixels(width * height);
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        const bool odd = i % width % 2 != 0;
        const bool random = made == kind::random || (made == kind::now_and_then && piece % 20 < 10);
        const std::int64_t value = random                       ? from.below(256)
                                   : made == kind::narrow       ? 100 + from.below(20)
                                   : made == kind::alike        ? 7
                                   : made == kind::last_in_word ? (odd ? 0 : 255)
                                                                : (odd ? 255 : 0);
        ++expected[static_cast<std::size_t>(value)];
        pixels[i] = static_cast<std::uint8_t>(value);
      }
      counted.count_piece([&](const auto& count) {
        for (std::size_t y = 0; y < height; ++y) count(pixels.data() + y * width, width);
      });
    }
    EXPECT_EQ(counted.bins(), expected) << static_cast<int>(made);
  }
}

/// At every place in a word: 248 times are counted, 256 are seen to be too many, also where the next count of
/// the word comes round by them.
TEST(patterns, pairs_that_come_round) {
  for (unsigned low = 0; low < 4; ++low) {
    std::array<std::uint8_t, 16> group;
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<std::uint8_t>(i % 2 ? 9 : 40 + low);
    auto beside = group;
    for (std::size_t i = 0; i < beside.size(); i += 2)
      beside[i] = static_cast<std::uint8_t>(40 + (low + 1) % 4);
    cpu::pair_counts pairs;
    cpu::byte_bins bins{}, none{};
    const auto count = [&](const auto& of, int times) {
      for (int i = 0; i < times; ++i) pairs.count(of.data(), 1);
    };
    count(group, 31);
    count(beside, 31);
    EXPECT_TRUE(pairs.add_to(bins));
    EXPECT_EQ(bins[9], 2u * 8 * 31);
    EXPECT_EQ(bins[40 + low], 8u * 31);
    bins = {};
    count(group, 32);
    EXPECT_FALSE(pairs.add_to(bins)) << low;
    count(beside, 31);
    count(group, 32 * 256);
    EXPECT_FALSE(pairs.add_to(bins)) << low;
    EXPECT_EQ(bins, none);
    EXPECT_TRUE(pairs.add_to(bins));
    EXPECT_EQ(bins, none);
  }
}

TEST(patterns, histogram) {
  for (const auto& shape : shapes) {
    const auto seed = seed_of("histogram", shape.pixels());
    dice from(seed);
    const random_image a(from, shape);
    std::array<std::uint64_t, 20> expected{};
    expected.fill(1);  // bins are added to
    for_each_pixel(shape, [&](std::size_t i, auto, auto, auto x) {
      const int bin = a.values[i] / 10;
      if (bin >= 0 && bin < 20) expected[static_cast<std::size_t>(bin)] += static_cast<std::uint64_t>(x + 1);
    });
    on_engines([&](const auto& engine, const std::string& name) {
      std::array<std::uint64_t, 20> bins{};
      bins.fill(1);
      engine.histogram(weighted_bins{}, bins, a.in());
      EXPECT_EQ(bins, expected) << name << ", seed " << seed;
    });
  }
}

}  // namespace
}  // namespace macareu::test

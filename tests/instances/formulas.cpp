// Instances against their definitions, written down a second time and another way.
#include <macareu/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

namespace macareu {
namespace {

struct shown {
  instance made;
  std::span<const std::uint8_t> mask, marker;

  shown(std::string_view name, const extents& shape, std::uint64_t seed = 1)
      : made(generate(name, shape, {.seed = seed})), mask(pixels_of(made.mask)) {
    if (made.marker) marker = pixels_of(*made.marker);
  }
  static std::span<const std::uint8_t> pixels_of(const image& from) { return from.pixels<std::uint8_t>(); }

  /// Checks every pixel of the mask, given as value(z, y, x).
  template <class Value>
  void expect(const Value& value) const {
    const auto& shape = made.mask.shape();
    std::size_t i = 0;
    for (std::int64_t z = 0; z < shape.depth(); ++z)
      for (std::int64_t y = 0; y < shape.height(); ++y)
        for (std::int64_t x = 0; x < shape.width(); ++x, ++i)
          ASSERT_EQ(int{mask[i]}, int{value(z, y, x)}) << "at " << z << ", " << y << ", " << x;
  }
  /// The marker is the mask at the first pixel and 0 at all others.
  void expect_one_source() const {
    ASSERT_FALSE(marker.empty());
    EXPECT_EQ(marker[0], mask[0]);
    EXPECT_NE(marker[0], 0);
    EXPECT_EQ(std::ranges::count(marker, 0), std::ssize(marker) - 1);
  }
};

double mean_of(std::span<const std::uint8_t> pixels) {
  return std::accumulate(pixels.begin(), pixels.end(), 0.0) / static_cast<double>(pixels.size());
}

TEST(Formulas, Flat) {
  for (const extents& shape : {extents{5, 7}, extents{3, 5, 7}}) {
    const shown flat("flat", shape);
    flat.expect([](auto...) { return 255; });
    flat.expect_one_source();
  }
}

TEST(Formulas, SerpentineWrittenOut) {
  const shown s("serpentine", {10, 4});
  constexpr int open = 200, wall = 5;
  const std::array<std::array<int, 4>, 10> rows{{{open, open, open, open},
                                                 {open, open, open, open},
                                                 {wall, wall, wall, open},
                                                 {open, open, open, open},
                                                 {open, open, open, open},
                                                 {open, wall, wall, wall},
                                                 {open, open, open, open},
                                                 {open, open, open, open},
                                                 {wall, wall, wall, open},
                                                 {open, open, open, open}}};
  s.expect([&](auto, auto y, auto x) { return rows[y][x]; });
  s.expect_one_source();
}

TEST(Formulas, SpiralWrittenOut) {
  const shown s("spiral", {10, 9});                         // an even side leaves its last line out
  const std::array<std::string_view, 10> rows{"#########",  //
                                              "........#",  //
                                              "#######.#",  //
                                              "#.....#.#",  //
                                              "#.###.#.#",  //
                                              "#.#...#.#",  //
                                              "#.#####.#",  //
                                              "#.......#",  //
                                              "#########",  //
                                              "........."};
  s.expect([&](auto, auto y, auto x) { return rows[y][x] == '#' ? 255 : 0; });
  s.expect_one_source();
}

TEST(Formulas, RandomIsUniform) {
  const shown r("random", {512, 512}, 3);
  std::array<int, 256> counts{};
  for (const auto value : r.mask) ++counts[value];
  for (const int count : counts) EXPECT_NEAR(count, 1024, 6 * 32);
  EXPECT_NEAR(mean_of(r.mask), 127.5, 1);
  // E[min(U, V)] of two uniform bytes is (n - 1)(2 n - 1) / (6 n) with n = 256.
  EXPECT_NEAR(mean_of(r.marker), 84.8, 1);
}

TEST(Formulas, SeedsAndSlicesDiffer) {
  for (const auto* name : {"random", "percolation", "noise", "sites-10"}) {
    SCOPED_TRACE(name);
    const shown a(name, {2, 64, 64}, 1), b(name, {2, 64, 64}, 2);
    EXPECT_FALSE(std::ranges::equal(a.mask, b.mask));
    EXPECT_FALSE(std::ranges::equal(a.mask.first(4096), a.mask.last(4096)));
  }
}

TEST(Formulas, Percolation) {
  for (const extents& shape : {extents{300, 401}, extents{30, 40, 101}}) {
    const shown p("percolation", shape);
    EXPECT_EQ(std::ranges::count(p.mask, 0) + std::ranges::count(p.mask, 255), std::ssize(p.mask));
    EXPECT_NEAR(mean_of(p.mask) / 255, 0.43, 0.01);
    const auto source = static_cast<std::size_t>(shape.rank() == 3 ? 40 * 101 : 401);
    EXPECT_TRUE(std::ranges::equal(p.marker.first(source), p.mask.first(source)));
    EXPECT_EQ(std::ranges::count(p.marker.subspan(source), 0),
              std::ssize(p.mask) - static_cast<std::int64_t>(source));
  }
}

TEST(Formulas, Sites) {
  EXPECT_NEAR(mean_of(shown("sites-1", {500, 500}).mask) / 255, 0.99, 0.001);
  EXPECT_NEAR(mean_of(shown("sites-10", {50, 60, 70}).mask) / 255, 0.9, 0.003);
}

/// Neighbours differ by no more than the steepest slope allows: 3/2 per cell and octave.
TEST(Formulas, NoiseIsSmoothAndItsMarkerLower) {
  const double steepest = 1.5 * 255 * (4.0 / 64 + 2.0 / 32 + 1.0 / 16) / 7 + 1;
  const extents shape{70, 80, 90};
  const shown n("noise", shape);
  for (std::int64_t i = 0; i < std::ssize(n.mask); ++i) {
    ASSERT_EQ(int{n.marker[i]}, std::max(n.mask[i] - 32, 0));
    const auto step = [&](std::int64_t at, std::int64_t back) {
      return at > 0 ? std::abs(n.mask[i] - n.mask[i - back]) : 0;
    };
    ASSERT_LE(std::max({step(i % 90, 1), step(i / 90 % 80, 90), step(i / 7200, 7200)}), steepest);
  }
  const shown wide("noise", {1000, 1000});
  EXPECT_NEAR(mean_of(wide.mask), 127, 12);
  EXPECT_GT(std::ranges::max(wide.mask) - std::ranges::min(wide.mask), 150);
}

TEST(Formulas, AnImageIsTheFirstSlice) {
  for (const auto& d : instances()) {
    if (!d.images || !d.volumes || d.name == "percolation") continue;
    SCOPED_TRACE(std::string(d.name));
    const shown flat(d.name, {20, 30}), deep(d.name, {2, 20, 30});
    EXPECT_TRUE(std::ranges::equal(flat.mask, deep.mask.first(600)));
    EXPECT_TRUE(std::ranges::equal(flat.marker, deep.marker.first(flat.marker.size())));
  }
}

TEST(Formulas, Circles) {
  const auto on = [](double y, double x, double radius) {
    const auto distance = std::hypot(y, x);
    return radius - 0.5 < distance && distance < radius + 0.5;
  };
  shown("central-circle", {101, 120}).expect([&](auto, auto y, auto x) {
    return on(y - 50.0, x - 59.0, 25) ? 0 : 255;
  });
  shown("big-circle", {90, 120}).expect([&](auto, auto y, auto x) {
    return on(y - 89.0, x - 59.0, 60) ? 0 : 255;
  });
  shown("circles16", {128, 256}).expect([&](auto, auto y, auto x) {
    for (const double cy : {15, 47, 79, 111})
      for (const double cx : {31, 95, 159, 223})
        if (on(y - cy, x - cx, 4)) return 0;
    return 255;
  });
}

TEST(Formulas, CornerSquares) {
  const auto within = [](std::int64_t at, std::int64_t size) {
    return (62 <= at && at < 64) || (size - 64 <= at && at < size - 62);
  };
  shown("corner-squares", {512, 600}).expect([&](auto, auto y, auto x) {
    return within(y, 512) && within(x, 600) ? 0 : 255;
  });
}

TEST(Formulas, Diagonals) {
  shown("diagonal", {37, 37}).expect([](auto, auto y, auto x) { return x == y ? 0 : 255; });
  shown("cross", {36, 36}).expect([](auto, auto y, auto x) { return x == y || x + y == 35 ? 0 : 255; });
  shown("diagonal", {3, 7}).expect([](auto, auto y, auto x) {
    return y == x * 3 / 7 || x == y * 7 / 3 ? 0 : 255;
  });
  shown("diagonal", {7, 3}).expect([](auto, auto y, auto x) {
    return y == x * 7 / 3 || x == y * 3 / 7 ? 0 : 255;
  });
}

TEST(Formulas, ChessAndBlocks) {
  shown("chess", {9, 10, 11}).expect([](auto z, auto y, auto x) {
    return ((z >> 2) ^ (y >> 2) ^ (x >> 2)) & 1 ? 0 : 255;
  });
  shown("blocks", {3, 60, 70}).expect([](auto, auto y, auto x) {
    return (y & 31) < 24 && (x & 31) < 24 ? 255 : 0;
  });
}

}  // namespace
}  // namespace macareu

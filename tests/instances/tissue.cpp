// Generated tissue looks and behaves like the real pair.
#include <macareu/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <macareu/files.hpp>

#include "support/data.hpp"
#include "support/tile_rounds.hpp"

namespace macareu {
namespace {

std::span<const std::uint8_t> pixels_of(const image& from) { return from.pixels<std::uint8_t>(); }

/// The best of `from` over the disk of radius 9 around each pixel, as the definition says.
template <class Best>
std::vector<std::uint8_t> over_disk(std::span<const std::uint8_t> from, int height, int width,
                                    const Best& best) {
  std::vector<std::uint8_t> out(from.begin(), from.end());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int v = std::max(y - 9, 0); v <= std::min(y + 9, height - 1); ++v)
        for (int u = std::max(x - 9, 0); u <= std::min(x + 9, width - 1); ++u)
          if ((v - y) * (v - y) + (u - x) * (u - x) <= 81)
            out[y * width + x] = best(out[y * width + x], from[v * width + u]);
  return out;
}

TEST(Tissue, MarkerIsTheOpening) {
  const auto smaller = [](auto a, auto b) { return std::min(a, b); };
  const auto larger = [](auto a, auto b) { return std::max(a, b); };
  // Taller and wider than the tiles the opening works in, smaller than the disk, and one pixel thin.
  for (const auto& [height, width] : {std::pair{281, 70}, {40, 1100}, {7, 150}, {150, 7}, {1, 60}, {60, 1}}) {
    const auto made = generate("tissue", {height, width}, {.seed = 3, .coverage = 75});
    const auto eroded = over_disk(pixels_of(made.mask), height, width, smaller);
    const auto opened = over_disk(eroded, height, width, larger);
    EXPECT_TRUE(std::ranges::equal(pixels_of(*made.marker), opened)) << height << " x " << width;
  }
}

/// Glass is 9 and 11. Some of the tissue is as dark, in gaps between fibres, so what is brighter is less than
/// asked.
TEST(Tissue, CoversWhatIsAsked) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    double last = 0;
    for (const int coverage : {25, 50, 75, 100}) {
      const auto made = generate("tissue", {1500, 1700}, {.seed = seed, .coverage = coverage});
      const auto bright = std::ranges::count_if(pixels_of(made.mask), [](auto v) { return v > 11; });
      const auto share = 100.0 * static_cast<double>(bright) / (1500 * 1700);
      EXPECT_GT(share, 0.75 * coverage) << "seed " << seed;
      EXPECT_LT(share, 1.02 * coverage) << "seed " << seed;
      EXPECT_GT(share, last + 10) << "seed " << seed;
      last = share;
    }
  }
}

/// Every pixel takes what its neighbours offer, over and over, until nothing rises.
std::vector<std::uint8_t> reconstructed(const instance& made, int neighbours) {
  const auto mask = pixels_of(made.mask), marker = pixels_of(*made.marker);
  const auto height = made.mask.shape().height(), width = made.mask.shape().width();
  std::vector<std::uint8_t> out(marker.begin(), marker.end());
  for (bool rose = true; rose;) {
    rose = false;
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        for (std::int64_t v = std::max<std::int64_t>(y - 1, 0); v <= std::min(y + 1, height - 1); ++v)
          for (std::int64_t u = std::max<std::int64_t>(x - 1, 0); u <= std::min(x + 1, width - 1); ++u) {
            if (neighbours == 4 && v != y && u != x) continue;
            const auto value = std::min(out[v * width + u], mask[y * width + x]);
            if (value <= out[y * width + x]) continue;
            out[y * width + x] = value;
            rose = true;
          }
  }
  return out;
}

TEST(TileRounds, EndAtTheReconstruction) {
  for (const auto* name : {"random", "tissue", "percolation", "serpentine"})
    for (const int neighbours : {4, 8}) {
      SCOPED_TRACE(std::string(name) + " with " + std::to_string(neighbours));
      const auto made = generate(name, {41, 67}, {.coverage = 75});
      const auto expected = reconstructed(made, neighbours);
      for (const std::int64_t tile : {5, 16, 64, 128}) {
        test::tile_simulation simulation(pixels_of(*made.marker), pixels_of(made.mask), 41, 67, neighbours,
                                         tile);
        const auto seen = simulation.run();
        EXPECT_EQ(seen.result, expected) << "tiles of " << tile;
        EXPECT_EQ(seen.active[0], ((41 + tile - 1) / tile) * ((67 + tile - 1) / tile));
        EXPECT_TRUE(tile < 128 || seen.rounds() == 1);
      }
    }
}

/// A wave along a row of ten tiles takes ten rounds, and wakes each once.
TEST(TileRounds, CountAWave) {
  const auto made = generate("flat", {3, 640});
  const auto seen = test::count_tile_rounds(pixels_of(*made.marker), pixels_of(made.mask), 3, 640, 8);
  EXPECT_EQ(seen.active, (std::vector<std::int64_t>{10, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(seen.changed, 3 * 640 - 1);
}

struct behaviour {
  int neighbours;
  std::int64_t rounds, visits, changed;
};

// The real pair: tissue covering half of a slide, 4096 x 4096, the marker clipped to the mask; from
// `tissue_behaviour tissue-50-marker.jpg tissue-50-mask.jpg`. RealPair below measures it again where the
// files are.
constexpr behaviour real_pair[] = {{4, 18, 13707, 8497192}, {8, 18, 14661, 8689378}};

TEST(Tissue, BehavesLikeTheRealPair) {
  const auto made = generate("tissue", {4096, 4096});
  for (const auto& real : real_pair) {
    SCOPED_TRACE(std::to_string(real.neighbours) + " neighbours");
    const auto seen =
        test::count_tile_rounds(pixels_of(*made.marker), pixels_of(made.mask), 4096, 4096, real.neighbours);
    const auto within_factor_2 = [](std::int64_t ours, std::int64_t theirs) {
      return ours <= 2 * theirs && theirs <= 2 * ours;
    };
    EXPECT_PRED2(within_factor_2, seen.rounds(), real.rounds);
    EXPECT_PRED2(within_factor_2, seen.visits(), real.visits);
    EXPECT_PRED2(within_factor_2, seen.changed, real.changed);
  }
}

TEST(Tissue, RealPair) {
  const auto marker_file = test::data_file("tissue-50-marker"), mask_file = test::data_file("tissue-50-mask");
  if (marker_file.empty() || mask_file.empty())
    GTEST_SKIP() << "the real pair is not in " << test::data_folder()
                 << ", or not readable; set MACAREU_DATA";
  const auto marker = read_image(marker_file).pixels, mask = read_image(mask_file).pixels;
  ASSERT_EQ(mask.shape(), (extents{4096, 4096}));
  for (const auto& real : real_pair) {
    SCOPED_TRACE(std::to_string(real.neighbours) + " neighbours");
    const auto seen =
        test::count_tile_rounds(pixels_of(marker), pixels_of(mask), 4096, 4096, real.neighbours);
    EXPECT_EQ(seen.rounds(), real.rounds);
    EXPECT_EQ(seen.visits(), real.visits);
    EXPECT_EQ(seen.changed, real.changed);
    if (real.neighbours == 4) {
      EXPECT_EQ(std::accumulate(seen.result.begin(), seen.result.end(), std::int64_t{0}), 418704038);
    }
  }
}

}  // namespace
}  // namespace macareu

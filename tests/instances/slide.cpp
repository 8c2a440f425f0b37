// Generated slides: what the truth says is what is drawn.
#include <macareu/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <macareu/catalogue.hpp>

namespace macareu {
namespace {

/// A slide with its truth, large enough for pen strokes and areas out of focus.
struct made_slide {
  instance made;
  std::int64_t height, width;
  std::span<const std::uint8_t> rgb;
  std::span<const std::uint32_t> truth;

  made_slide(const extents& shape, const generate_options& how)
      : made(generate("slide", shape, how)),
        height(shape.height()),
        width(shape.width()),
        rgb(made.mask.pixels<std::uint8_t>()),
        truth(made.truth->pixels<std::uint32_t>()) {}

  /// Red light, which haematoxylin absorbs and eosin hardly does.
  int red(std::int64_t pixel) const { return rgb[3 * pixel]; }
};

const made_slide& slide() {
  static const made_slide one({1200, 1500}, {.seed = 3, .coverage = 75});
  return one;
}

/// Computed with g++ 12 on x86-64. Glands, red cells, strokes, dust and a blurred area are in it.
TEST(Slide, HasTheSameBytesEverywhere) {
  const auto add = [](auto from, std::uint64_t hash = 0xcbf29ce484222325u) {
    for (const auto value : from) hash = (hash ^ value) * 0x100000001b3u;
    return hash;
  };
  EXPECT_EQ(add(slide().rgb), 0x4f1d560b59a349f3u);
  EXPECT_EQ(add(slide().truth), 0x2e7d1f3171760a8au);
}

TEST(Slide, NumbersNucleiInRasterOrder) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const made_slide here({700, 900}, {.seed = seed, .coverage = 100});
    std::uint32_t last = 0;
    for (const auto number : here.truth) {
      ASSERT_LE(number, last + 1) << "seed " << seed;
      last = std::max(last, number);
    }
    EXPECT_GT(last, 100u) << "seed " << seed;
  }
}

TEST(Slide, NucleiHaveTheirSizeAndHoldTogether) {
  const auto& truth = slide().truth;
  const auto count = *std::ranges::max_element(truth);
  std::vector<int> area(count + 1);
  for (const auto number : truth) ++area[number];
  // Circles of 5 and 12 um have 314 and 1810 pixels; the rim and other nuclei cut some.
  const auto whole = std::ranges::count_if(area.begin() + 1, area.end(), [](int a) { return a >= 250; });
  EXPECT_GT(whole, 0.9 * count);
  EXPECT_LT(*std::max_element(area.begin() + 1, area.end()), 2200);
  const auto labels =
      run_operator(*find_operator("label"), std::vector<const_image_view>{*slide().made.truth},
                   arguments{{"values", true}}, {.device = "cpu"});
  const auto parts = labels[0].pixels<std::uint32_t>();
  EXPECT_LT(*std::ranges::max_element(parts), 1.02 * count);
}

TEST(Slide, NucleiAreDarkerThanTheirSurroundings) {
  const auto& s = slide();
  const auto count = *std::ranges::max_element(s.truth);
  std::vector<double> inside(count + 1), around(count + 1), pixels(count + 1), ring(count + 1);
  for (std::int64_t y = 5; y + 5 < s.height; ++y)
    for (std::int64_t x = 5; x + 5 < s.width; ++x) {
      const auto number = s.truth[y * s.width + x];
      if (number == 0) continue;
      inside[number] += s.red(y * s.width + x);
      pixels[number] += 1;
      for (const auto step : {-5 * s.width, std::int64_t{-5}, std::int64_t{5}, 5 * s.width})
        if (s.truth[y * s.width + x + step] == 0) {
          around[number] += s.red(y * s.width + x + step);
          ring[number] += 1;
        }
    }
  int darker = 0, compared = 0;
  for (std::uint32_t i = 1; i <= count; ++i) {
    if (pixels[i] < 100 || ring[i] < 20) continue;
    ++compared;
    darker += inside[i] / pixels[i] < around[i] / ring[i] - 25 ? 1 : 0;
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(darker, 0.98 * compared);
}

/// Glass is white and has no nuclei; what is tissue is not white.
TEST(Slide, CoversWhatIsAsked) {
  for (const int coverage : {25, 50, 75, 100}) {
    const made_slide here({1100, 1300}, {.seed = 5, .coverage = coverage});
    std::int64_t tissue = 0, pixels = here.height * here.width;
    for (std::int64_t i = 0; i < pixels; ++i) tissue += here.rgb[3 * i + 1] < 226 ? 1 : 0;
    const auto share = 100.0 * static_cast<double>(tissue) / static_cast<double>(pixels);
    EXPECT_GT(share, 0.8 * coverage);
    EXPECT_LT(share, coverage + 12);  // strokes of a pen and dust
  }
}

}  // namespace
}  // namespace macareu

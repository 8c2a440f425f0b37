#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <macareu/macareu.hpp>

#include "operators/by_definition.hpp"
#include "operators/pictures.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

TEST(remove_small, keeps_large_objects_as_they_are) {
  const picture<std::uint8_t> f{{4, 6}, {7, 0, 0, 0, 0, 3,  //
                                         0, 9, 0, 0, 0, 3,  //
                                         0, 0, 0, 1, 0, 0,  //
                                         0, 0, 0, 0, 0, 5}};
  for (const char* device : {"serial", "cpu"}) {
    const auto kept = [&](const remove_small_options& options) {
      run_report report;
      auto values =
          values_of<std::uint8_t>(remove_small(f.view(), options, {.device = device, .report = &report}));
      values.push_back(static_cast<std::uint8_t>(report.count));  // behind the pixels
      return values;
    };
    using pixels = std::vector<std::uint8_t>;
    EXPECT_EQ(kept({.min_size = 2}), (pixels{7, 0, 0, 0, 0, 3,  //
                                             0, 9, 0, 0, 0, 3,  //
                                             0, 0, 0, 0, 0, 0,  //
                                             0, 0, 0, 0, 0, 0, 2}));
    EXPECT_EQ(kept({.connectivity = 4, .min_size = 2}), (pixels{0, 0, 0, 0, 0, 3,  //
                                                                0, 0, 0, 0, 0, 3,  //
                                                                0, 0, 0, 0, 0, 0,  //
                                                                0, 0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(kept({.min_size = 0}).back(), 4);
    EXPECT_EQ(kept({}).back(), 0);
  }
}

TEST(remove_small, takes_nan_for_a_pixel_of_an_object) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const picture<float> f{{1, 5}, {nan, -1, 0, nan, -0.0F}};
  const auto kept = values_of<float>(remove_small(f.view(), {.min_size = 2}, on_serial));
  EXPECT_TRUE(std::isnan(kept[0]));
  EXPECT_EQ(kept[1], -1);
  EXPECT_EQ(kept[3], 0);
}

/// By definition: every object is visited from its first pixel.
std::vector<std::uint16_t> by_definition(std::vector<std::uint16_t> f, const lattice& around,
                                         std::size_t least) {
  std::vector<bool> seen(f.size());
  for (std::size_t first = 0; first < f.size(); ++first) {
    if (f[first] == 0 || seen[first]) continue;
    std::vector<std::size_t> object{first};
    seen[first] = true;
    for (std::size_t i = 0; i < object.size(); ++i)
      around.for_each_neighbour(object[i], [&](std::size_t next) {
        if (f[next] == 0 || seen[next]) return;
        seen[next] = true;
        object.push_back(next);
      });
    if (object.size() < least)
      for (const auto pixel : object) f[pixel] = 0;
  }
  return f;
}

TEST(remove_small, is_its_definition) {
  std::mt19937 random(7);
  for (std::int64_t round = 0; round < scaled(600); ++round) {
    const bool volume = round % 2 == 1;
    const auto side = [&] { return static_cast<std::int64_t>(1 + random() % (volume ? 9 : 70)); };
    const extents shape = volume ? extents{side(), side(), side()} : extents{side(), side()};
    std::vector<std::uint16_t> pixels(static_cast<std::size_t>(shape.pixels()));
    for (auto& pixel : pixels)
      pixel = random() % 100 < 40 ? static_cast<std::uint16_t>(1 + random() % 999) : 0;
    const int near = volume ? (round % 3 == 0 ? 6 : round % 3 == 1 ? 18 : 26) : (round % 3 == 0 ? 4 : 8);
    const auto least = random() % 9;
    const auto expected = by_definition(pixels, lattice(shape, near), least);
    for (const char* device : {"serial", "cpu"})
      ASSERT_EQ(values_of<std::uint16_t>(remove_small(
                    const_image_view(pixels.data(), shape),
                    {.connectivity = near, .min_size = static_cast<double>(least)}, {.device = device})),
                expected)
          << device << " " << near;
  }
}

}  // namespace
}  // namespace macareu::test

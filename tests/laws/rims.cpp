// Blocks that were labelled apart and merged are the labels of the whole, whatever their thickness.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/cpu/engine.hpp"
#include "engines/serial/engine.hpp"
#include "operators/objects/labels/label_blocks.hpp"
#include "operators/objects/labels/object_rules.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

using label_image = std::vector<std::uint32_t>;

struct small_volume {
  std::int64_t depth, height, width;
  std::vector<std::uint8_t> pixels;

  std::int64_t slice() const { return height * width; }
  view<const std::uint8_t> pixels_view() const {
    return {pixels.data(), depth, height, width, slice(), width, 1};
  }
};

template <class Engine, class Rule>
std::uint64_t label_image_of(const Rule& rule, const neighbourhood& near, const small_volume& image,
                             std::int64_t block_slices, int threads, label_image& labels) {
  const context how{.threads = threads};
  job work{how, {}};
  labels.assign(static_cast<std::size_t>(image.depth * image.slice()), 77);
  const view<std::uint32_t> out{
      labels.data(), image.depth, image.height, image.width, image.slice(), image.width, 1};
  Engine engine(work);
  return label_components(engine, rule, near, framed(out), framed(image.pixels_view()), block_slices);
}

template <class Rule>
void compare(const Rule& rule, const neighbourhood& near, const small_volume& image) {
  label_image whole, merged;
  const auto count = label_image_of<serial::engine>(rule, near, image, 0, 1, whole);
  for (std::int64_t thickness = 1; thickness <= std::max(image.depth, image.height); ++thickness) {
    EXPECT_EQ(label_image_of<serial::engine>(rule, near, image, thickness, 1, merged), count);
    EXPECT_EQ(merged, whole) << "thickness " << thickness << ", reach " << near.reach;
    EXPECT_EQ(label_image_of<cpu::engine>(rule, near, image, thickness, 3, merged), count);
    EXPECT_EQ(merged, whole) << "on the cpu, thickness " << thickness << ", reach " << near.reach;
  }
}

TEST(rims, merged_blocks_are_the_whole) {
  dice from(seed_of("rims", 1, 1));
  for (int i = 0; i < 300; ++i) {
    const int rank = from.once_in(3) ? 2 : 3;
    small_volume image{rank == 2 ? 1 : from.between(1, 9), from.between(1, 12), from.between(1, 12), {}};
    const auto density = from.between(1, 9);
    for (std::int64_t p = 0; p < image.depth * image.slice(); ++p)
      image.pixels.push_back(static_cast<std::uint8_t>(from.below(10) < density ? from.between(1, 2) : 0));
    const neighbourhood near{rank, static_cast<int>(from.between(1, rank))};
    compare(set_pixels{}, near, image);
    compare(equal_values<std::uint8_t>{}, near, image);
  }
}

/// The least that labels need: images of its own, and no blocks.
struct only_component {
  explicit only_component(job& work) : inner(work) {}
  template <class... Arguments>
  std::uint64_t component(const Arguments&... given) {
    ++calls;
    return inner.component(given...);
  }
  serial::engine inner;
  static inline int calls = 0;
};

TEST(rims, an_engine_without_blocks_labels_the_whole) {
  const small_volume image{1, 3, 4, {1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0}};
  label_image whole, same;
  const auto count = label_image_of<serial::engine>(set_pixels{}, {2, 1}, image, 0, 1, whole);
  EXPECT_EQ(label_image_of<only_component>(set_pixels{}, {2, 1}, image, 1, 1, same), count);
  EXPECT_EQ(same, whole);
  EXPECT_EQ(only_component::calls, 1);
}

/// A comb: teeth that only the last slice joins, so that names go back through every block.
TEST(rims, names_travel_back) {
  for (const bool upside_down : {false, true}) {
    small_volume image{8, 1, 15, {}};
    for (std::int64_t z = 0; z < image.depth; ++z)
      for (std::int64_t x = 0; x < image.width; ++x)
        image.pixels.push_back(x % 2 == 0 || z == (upside_down ? 0 : image.depth - 1));
    compare(set_pixels{}, {3, 1}, image);
  }
}

}  // namespace
}  // namespace macareu::test

// Blocks that were labelled apart and merged are the labels of the whole, whatever their thickness.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engines/cpu/engine.hpp"
#include "engines/serial/engine.hpp"
#include "operators/objects/labels/object_rules.hpp"
#include "patterns/component_rims.hpp"
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

/// Blocks of `block_slices` slices (rows, in images): numbered apart, each with the first slice of the next,
/// and merged by the numbers that both gave to it.
template <class Engine, class Rule>
std::uint64_t label_image_of(const Rule& rule, const neighbourhood& near, const small_volume& image,
                             std::int64_t block_slices, int threads, label_image& labels) {
  const context how{.threads = threads};
  job work{how, {}};
  const bool volume = near.rank == 3;
  const auto slices = volume ? image.depth : image.height, slice = volume ? image.slice() : image.width;
  labels.assign(static_cast<std::size_t>(image.depth * image.slice()), 77);
  const framed in(image.pixels_view());
  Engine engine(work);
  const auto lent = engine.lend_threads(image.depth * image.slice());
  std::vector<block_residue> residues;
  std::vector<std::uint32_t> shared;
  for (std::int64_t first = 0; first < slices; first += block_slices) {
    const auto own = std::min(block_slices, slices - first), seen = std::min(own + 1, slices - first);
    label_image block(static_cast<std::size_t>(seen * slice));
    const view<std::uint32_t> out{block.data(),
                                  volume ? seen : 1,
                                  volume ? image.height : seen,
                                  image.width,
                                  image.slice(),
                                  image.width,
                                  1};
    engine.component(rule, near, framed(out), in.slices(volume, first, seen));
    const auto end_of_own = block.begin() + own * slice;
    block_residue residue;
    residue.objects = *std::max_element(block.begin(), end_of_own);
    if (first > 0) {
      const std::vector<std::uint32_t> numbers(block.begin(), block.begin() + slice);
      residue.in_first = *std::ranges::max_element(numbers);
      residues.back().to_next = rim_pairs(shared, numbers, residues.back().objects, lent);
    }
    residues.push_back(std::move(residue));
    shared.assign(end_of_own, block.end());
    std::copy(block.begin(), end_of_own, labels.begin() + first * slice);
  }
  const auto merged = merge_rims(residues, lent);
  for (std::size_t b = 0; b < residues.size(); ++b) {
    const auto number = numbers_of<std::uint32_t>(merged.blocks[b], residues[b].objects);
    const auto first = static_cast<std::int64_t>(b) * block_slices,
               end = std::min(first + block_slices, slices);
    for (auto i = first * slice; i < end * slice; ++i)
      labels[static_cast<std::size_t>(i)] = number[labels[static_cast<std::size_t>(i)]];
  }
  return merged.count;
}

template <class Rule>
void compare(const Rule& rule, const neighbourhood& near, const small_volume& image) {
  label_image whole, merged;
  const auto all = std::max(image.depth, image.height);
  const auto count = label_image_of<serial::engine>(rule, near, image, all, 1, whole);
  for (std::int64_t thickness = 1; thickness <= all; ++thickness) {
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

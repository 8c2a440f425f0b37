// Blocks that were labelled apart and merged are the labels of the whole, whatever their thickness.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/cpu/component/rims.hpp"
#include "engines/serial/engine.hpp"
#include "rules/objects.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

using label_image = std::vector<std::uint32_t>;

struct small_volume {
  std::int64_t depth, height, width;
  std::vector<std::uint8_t> pixels;

  std::int64_t slice() const { return height * width; }
  view<const std::uint8_t> part(std::int64_t first, std::int64_t slices) const {
    return {pixels.data() + first * slice(), slices, height, width, slice(), width, 1};
  }
};

template <class Rule>
std::uint64_t label_part(const Rule& rule, const neighbourhood& near, const small_volume& image,
                         std::int64_t first, std::int64_t slices, label_image& labels) {
  const context how;
  job work{how, {}};
  labels.assign(static_cast<std::size_t>(slices * image.slice()), 0);
  const view<std::uint32_t> out{labels.data(), slices, image.height, image.width, image.slice(),
                                image.width,   1};
  return serial::engine(work).component(rule, near, out, image.part(first, slices));
}

/// By piece, merge and finish as patterns/component.hpp has them.
template <class Rule>
std::uint64_t label_in_blocks(const Rule& rule, const neighbourhood& near, const small_volume& image,
                              std::int64_t thickness, int threads, label_image& labels) {
  std::vector<label_image> own;
  std::vector<cpu::block_residue> residues;
  label_image shared;  // as the block before has it
  for (std::int64_t first = 0; first < image.depth; first += thickness) {
    const auto slices = std::min(thickness, image.depth - first);
    const bool last = first + slices == image.depth;
    auto& block = own.emplace_back();
    label_part(rule, near, image, first, slices + (last ? 0 : 1), block);
    const auto rim = static_cast<std::size_t>(image.slice()), end = block.size() - (last ? 0 : rim);
    if (first > 0) {
      const std::span first_slice(block.data(), rim);
      residues.back().to_next = cpu::rim_pairs(shared, first_slice, residues.back().objects, threads);
    }
    auto& residue = residues.emplace_back();
    residue.objects = *std::max_element(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(end));
    if (first > 0) residue.in_first = *std::max_element(block.begin(), block.begin() + image.slice());
    shared.assign(block.begin() + static_cast<std::ptrdiff_t>(end), block.end());
    block.resize(end);
  }
  const auto merged = cpu::merge_rims(residues, threads);
  labels.clear();
  for (std::size_t b = 0; b < own.size(); ++b) {
    const auto& [before, moved, target] = merged.blocks[b];
    EXPECT_TRUE(std::ranges::is_sorted(moved));
    for (const auto number : own[b]) {
      const auto place = static_cast<std::size_t>(std::ranges::lower_bound(moved, number) - moved.begin());
      const bool has_moved = place < moved.size() && moved[place] == number;
      labels.push_back(
          number == 0 ? 0 : static_cast<std::uint32_t>(has_moved ? target[place] : before + number - place));
    }
  }
  return merged.count;
}

template <class Rule>
void compare(const Rule& rule, int reach, const small_volume& image) {
  label_image whole, joined_blocks;
  const neighbourhood near{3, reach};
  const auto count = label_part(rule, near, image, 0, image.depth, whole);
  for (std::int64_t thickness = 1; thickness <= image.depth; ++thickness)
    for (const int threads : {1, 3}) {
      EXPECT_EQ(label_in_blocks(rule, near, image, thickness, threads, joined_blocks), count);
      EXPECT_EQ(joined_blocks, whole) << "thickness " << thickness << ", reach " << reach;
    }
}

TEST(rims, merged_blocks_are_the_whole) {
  dice from(seed_of("rims", 1, 1));
  for (int i = 0; i < 300; ++i) {
    small_volume image{from.between(1, 9), from.between(1, 12), from.between(1, 12), {}};
    const auto density = from.between(1, 9);
    for (std::int64_t p = 0; p < image.depth * image.slice(); ++p)
      image.pixels.push_back(static_cast<std::uint8_t>(from.below(10) < density ? from.between(1, 2) : 0));
    const int reach = static_cast<int>(from.between(1, 3));
    compare(set_pixels{}, reach, image);
    compare(equal_values<std::uint8_t>{}, reach, image);
  }
}

/// A comb: teeth that only the last slice joins, so that names go back through every block.
TEST(rims, names_travel_back) {
  for (const bool upside_down : {false, true}) {
    small_volume image{8, 1, 15, {}};
    for (std::int64_t z = 0; z < image.depth; ++z)
      for (std::int64_t x = 0; x < image.width; ++x)
        image.pixels.push_back(x % 2 == 0 || z == (upside_down ? 0 : image.depth - 1));
    compare(set_pixels{}, 1, image);
  }
}

}  // namespace
}  // namespace macareu::test

// Cuts an image into blocks: runs of slices (rows, in images) that fit a GPU's memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/transfer.hpp"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda::labels {

/// Slices of a volume, or rows of an image.
struct pixel_slices {
  host_pixels pixels;
  bool volume;

  std::int64_t count() const { return volume ? pixels.depth : pixels.height; }
  host_pixels part(std::int64_t first, std::int64_t slices) const {
    auto cut = pixels;
    cut.data += first * (volume ? pixels.step_z : pixels.step_y) * pixels.size;
    (volume ? cut.depth : cut.height) = slices;
    return cut;
  }
};

struct block_plan {
  std::int64_t slices = 0;     // of the image
  std::int64_t thickness = 0;  // slices of a block
  bool keeps_bits = false;     // the bits of all blocks stay on the GPU between the rounds

  std::size_t count() const { return static_cast<std::size_t>(ceil_div(slices, thickness)); }
  std::int64_t first(std::size_t block) const { return static_cast<std::int64_t>(block) * thickness; }
  std::int64_t own(std::size_t block) const { return std::min(thickness, slices - first(block)); }
  bool is_last(std::size_t block) const { return block + 1 == count(); }
  /// Own slices and the first slice of the next block.
  std::int64_t seen(std::size_t block) const { return own(block) + (is_last(block) ? 0 : 1); }
};

/// Gives every worker several blocks, so that its transfers overlap with another worker's kernels.
inline std::int64_t thickness_for(std::int64_t slices, int workers) {
  return std::max<std::int64_t>(1, slices / (tuning::blocks_per_worker * workers));
}

/// Blocks of the wanted thickness, or the thickest for which fits(slices seen) holds. The thickness is 0 if
/// not even one slice fits.
template <class Fits>
block_plan plan_blocks(std::int64_t slices, std::int64_t wanted, Fits&& fits) {
  std::int64_t low = 0, high = wanted;
  while (low < high) {
    const auto middle = low + (high - low + 1) / 2;
    if (fits(std::min(slices, middle + 1)))
      low = middle;
    else
      high = middle - 1;
  }
  return {slices, low};
}

}  // namespace macareu::cuda::labels

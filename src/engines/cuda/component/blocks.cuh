// Labelling in blocks, for images larger than a GPU's memory and for pools of GPUs: piece, merge, finish
// (patterns/component.hpp). Blocks are solved twice and labels written once, because final numbers depend on
// all blocks. Pixels are uploaded once if the GPU can keep their bits, otherwise twice.
#pragma once

#include <functional>
#include <vector>

#include "engines/cuda/component/block_plan.hpp"
#include "engines/cuda/component/labelling.cuh"
#include "engines/cuda/runtime/transfer.hpp"

namespace macareu::cuda::labels {

/// An image to label, in host or in device memory. Only `read` depends on the rule and the pixel type.
struct block_task {
  pixel_slices image, labels;
  neighbourhood near;
  bool classes;
  std::function<void(labelling&, const host_pixels& slices_on_device)> read;

  block_shape shape(std::int64_t slices) const {
    const auto part = image.part(0, slices);
    return {part.depth, part.height, part.width, near, classes};
  }
};

/// Device memory in bytes for a block that sees `slices` slices.
std::int64_t bytes_for(const block_task& task, std::int64_t slices);

/// Bytes of a GPU that one call may take.
std::int64_t room_for(const gpu& on);

/// The GPUs that share the image in blocks; empty if one GPU labels it as a whole. `block_slices`: the block
/// thickness that the caller requests, or 0.
std::vector<int> pool_for(const gpu& on, const block_task& task, std::int64_t block_slices);

/// The workers of a GPU share `room`, in bytes; a GPU may be in the pool several times.
block_plan plan_for(const block_task& task, const std::vector<int>& gpus, std::int64_t room,
                    std::int64_t block_slices);

/// Returns the number of objects.
std::uint64_t run_blocks(const gpu& on, const block_task& task, const std::vector<int>& gpus,
                         const block_plan& plan);

}  // namespace macareu::cuda::labels

// Counts bytes. Every lane of a warp has its own counters, in the bank of shared memory with the lane's
// number. This avoids bank conflicts and contention for all images.
#pragma once

#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda {

/// Adds to 256 counts in device memory.
void count_bytes(const gpu& on, const view<const std::uint8_t>& image, unsigned long long* counts);

}  // namespace macareu::cuda

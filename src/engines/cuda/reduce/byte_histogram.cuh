// Counting bytes: every lane of a warp has counters of its own, each in the bank of shared memory that has
// the lane's number. So no two lanes ever wait for each other, whatever the pixels are.
#pragma once

#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda {

/// Adds to 256 counts in device memory.
void count_bytes(const gpu& on, const view<const std::uint8_t>& image, unsigned long long* counts);

}  // namespace macareu::cuda

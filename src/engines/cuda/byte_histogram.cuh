// Counting bytes: CUB's histogram, whose runs of equal pixels cost no more than others.
#pragma once

#include "engines/cuda/gpu.cuh"

namespace macareu::cuda {

/// Overwrites 256 counts in device memory. The image has one slice, step_x 1, and fewer than 2^31 pixels, and
/// its rows begin in order.
void count_bytes(const gpu& on, const view<const std::uint8_t>& image, std::uint32_t* counts);

}  // namespace macareu::cuda

// The GPU that a call runs on.
#pragma once

#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda {

/// Of the device "cuda:N"; any other name means the current one.
int gpu_of(const context& how);

/// That GPU, which must be current, with the caller's stream.
gpu open_gpu(job& work);

}  // namespace macareu::cuda

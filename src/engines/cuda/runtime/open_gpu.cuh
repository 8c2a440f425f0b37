// The GPU that a call runs on.
#pragma once

#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda {

/// The GPU of device "cuda:N"; the current GPU for any other name.
int gpu_of(const context& how);

/// The GPU of `work`, which must be current, with the caller's stream.
gpu open_gpu(job& work);

}  // namespace macareu::cuda

// What CUDA takes of the host's memory to start: its libraries, the driver's tables and one context for each
// GPU. It does not depend on images, so reports tell it, and limits of host memory leave it out.
#pragma once

#include <cstdint>
#include <functional>

#include "engines/cuda/runtime/presence.hpp"

namespace macareu {

/// The GPUs of this machine. The first call loads the cuda engine and asks the driver.
const cuda::gpu_list& gpus_of_machine();

/// Makes the context of a GPU, where this process has none. Throws device_error.
void start_gpu(int gpu);

/// Bytes of host memory that both took so far.
std::int64_t gpu_start_up();

/// The resident bytes that `work` adds to this process; 0 where the system does not report them.
std::int64_t memory_taken_by(const std::function<void()>& work);

}  // namespace macareu

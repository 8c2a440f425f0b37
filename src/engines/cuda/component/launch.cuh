// Launches of labelling kernels, which overlap by programmatic dependent launch.
#pragma once

#include "engines/cuda/runtime/dependent_launch.cuh"

namespace macareu::cuda::labels {

/// Called once in every kernel. After it, writes of the previous kernel are visible and the next kernel may
/// start. Writes of earlier kernels are visible even before it: a kernel starts only after all blocks of its
/// predecessor have passed their wait. By then all earlier kernels have ended.
__device__ __forceinline__ void follow() {
  wait_for_previous();
  let_next_start();
}

template <class... Parameters, class... Arguments>
void launch(const gpu& on, start when, const char* name, void (*kernel)(Parameters...), std::uint32_t blocks,
            int threads, const Arguments&... arguments) {
  launch_when(when, on, name, kernel, dim3(blocks), dim3(static_cast<unsigned>(threads)), 0, arguments...);
}

}  // namespace macareu::cuda::labels

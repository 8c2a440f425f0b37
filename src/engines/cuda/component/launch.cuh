// Kernels of labels follow each other closely.
#pragma once

#include "engines/cuda/runtime/dependent_launch.cuh"

namespace macareu::cuda::labels {

/// Once in every kernel: what the kernel before wrote is there after it, and the next one may come. What
/// earlier ones wrote is there before it: a kernel does not come before all blocks of the last one are past
/// their wait, when all that came before that one had ended and was written.
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

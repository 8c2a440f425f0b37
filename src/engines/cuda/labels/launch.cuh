// Kernels that follow each other closely: the next one is launched while the last blocks of this one run, and
// waits for its results where it needs them (compute capability 9.0 and later).
#pragma once

#include "engines/cuda/gpu.cuh"
#include "engines/cuda/presence.hpp"

namespace macareu::cuda::labels {

/// Once in every kernel: what the kernel before wrote is there after it, and the next one may come. What
/// earlier ones wrote is there before it: a kernel does not come before all blocks of the last one are past
/// their wait, when all that came before that one had ended and was written.
__device__ __forceinline__ void follow() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// When a kernel may begin.
enum class start { after_all, early };

inline start earliest_on(int gpu) {
  return gpus_here().gpus[static_cast<std::size_t>(gpu)].major >= 9 ? start::early : start::after_all;
}

template <class... Parameters, class... Arguments>
void launch(const gpu& on, start when, const char* name, void (*kernel)(Parameters...), std::uint32_t blocks,
            int threads, const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = on.stream;
  config.attrs = &attribute;
  config.numAttrs = when == start::early ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), name);
  on.launched(name);
}

}  // namespace macareu::cuda::labels

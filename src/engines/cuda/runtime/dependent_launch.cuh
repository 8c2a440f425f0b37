// Programmatic dependent launch: blocks of the next kernel start while those of the previous one finish. A
// dependent kernel calls wait_for_previous() before it reads its predecessor's results. The predecessor has
// then ended and its writes are visible. It has itself waited for its predecessor, so the order of a chain
// holds. GPUs before compute capability 9.0 do not support it.
#pragma once

#include <cuda_runtime.h>

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu::cuda {

__device__ __forceinline__ void let_next_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Called once in every kernel of a chain. After it, writes of the previous kernel are visible and the next
/// kernel may start. Writes of earlier kernels are visible even before it: a kernel starts only after all
/// blocks of its predecessor have passed their wait. By then all earlier kernels have ended.
__device__ __forceinline__ void follow() {
  wait_for_previous();
  let_next_start();
}

/// When a kernel may begin.
enum class start { after_all, early };

inline start earliest_on(int gpu) {
  return gpus_here().gpus[static_cast<std::size_t>(gpu)].major >= 9 ? start::early : start::after_all;
}

template <class... Parameters, class... Arguments>
void launch_when(start when, const gpu& on, const char* name, void (*kernel)(Parameters...), dim3 grid,
                 dim3 block, std::size_t shared, const Arguments&... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t how{};
  how.gridDim = grid;
  how.blockDim = block;
  how.dynamicSmemBytes = shared;
  how.stream = on.stream;
  how.attrs = &overlap;
  how.numAttrs = when == start::early ? 1 : 0;
  check(cudaLaunchKernelEx(&how, kernel, static_cast<Parameters>(arguments)...), name);
  on.launched(name);
}

template <class... Parameters, class... Arguments>
void launch_dependent(const gpu& on, const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                      std::size_t shared, const Arguments&... arguments) {
  launch_when(earliest_on(on.number), on, name, kernel, grid, block, shared, arguments...);
}

}  // namespace macareu::cuda

// Programmatic dependent launch: the blocks of the next kernel may come in while those of this one leave. A
// kernel launched so waits before it reads what its predecessor wrote; the predecessor has then ended, its
// writes are visible, and what it had waited for itself as well, so the order of a whole chain is kept.
#pragma once

#include <cuda_runtime.h>

#include "engines/cuda/gpu.cuh"

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

template <class... Parameters, class... Arguments>
void launch_dependent(const gpu& on, const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                      std::size_t shared, const Arguments&... arguments) {
  int generation = 0;  // GPUs before Hopper have no such launch
  check(cudaDeviceGetAttribute(&generation, cudaDevAttrComputeCapabilityMajor, on.number),
        "cudaDeviceGetAttribute");
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t how{};
  how.gridDim = grid;
  how.blockDim = block;
  how.dynamicSmemBytes = shared;
  how.stream = on.stream;
  how.attrs = &overlap;
  how.numAttrs = generation >= 9 ? 1 : 0;
  check(cudaLaunchKernelEx(&how, kernel, static_cast<Parameters>(arguments)...), name);
  on.launched(name);
}

}  // namespace macareu::cuda

#include "engines/cuda/runtime/open_gpu.cuh"

#include "engines/cuda/runtime/memory_pool.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu::cuda {

int gpu_of(const context& how) {
  const auto named = gpus_named(how.device);
  return named.empty() ? current_gpu() : named[0];
}

gpu open_gpu(job& work) {
  cudaGetLastError();  // clears an error that another part of the program left
  const int number = gpu_of(work.how);
  const auto ask = [&](cudaDeviceAttr about) {
    int told = 0;
    check(cudaDeviceGetAttribute(&told, about, number), "cudaDeviceGetAttribute");
    return told;
  };
  return {work,
          number,
          ask(cudaDevAttrMultiProcessorCount),
          static_cast<cudaStream_t>(work.how.stream),
          memory_pool(number),
          ask(cudaDevAttrMaxSharedMemoryPerBlockOptin)};
}

}  // namespace macareu::cuda

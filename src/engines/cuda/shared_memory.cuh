// More shared memory for a block than the 48 KiB that kernels have without asking.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "engines/cuda/gpu.cuh"

namespace macareu::cuda {

inline std::size_t shared_limit(const gpu& on) {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, on.number),
        "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes) - 1024;  // what kernels have besides
}

/// Asks once per kernel and GPU.
template <auto Kernel>
void allow_shared_memory(const gpu& on) {
  static std::array<std::atomic<bool>, 64> asked{};
  auto& done = asked[static_cast<std::size_t>(on.number) % asked.size()];
  if (done.load()) return;
  check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_limit(on))),
        "cudaFuncSetAttribute");
  done = true;
}

}  // namespace macareu::cuda

// More shared memory for a block than the 48 KiB that kernels have without asking.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "engines/cuda/gpu.cuh"

namespace macareu::cuda {

inline std::size_t shared_limit(const gpu& on) {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, on.number),
        "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes) - 1024;  // what kernels have besides
}

inline void require_shared_memory(const gpu& on, std::size_t bytes) {
  const auto most = shared_limit(on);
  if (bytes > most)
    throw too_large("cuda: this strategy needs " + std::to_string(bytes) +
                    " bytes of shared memory a block, GPU " + std::to_string(on.number) + " has " +
                    std::to_string(most) + "; use another strategy or the cpu device");
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

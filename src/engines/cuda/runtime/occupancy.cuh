// Resident blocks of a kernel on a GPU. Cached per kernel and GPU: the query takes microseconds.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/runtime/shared_memory.cuh"

namespace macareu::cuda {

/// At most `most` per multiprocessor. Also opts the kernel in to its dynamic shared memory. Throws where the
/// GPU has less.
template <auto Kernel>
int resident_blocks(const gpu& on, int threads, std::size_t shared, int most) {
  require_shared_memory(on, shared);
  static std::array<std::atomic<int>, 64> known{};
  auto& per_multiprocessor = known[static_cast<std::size_t>(on.number) % known.size()];
  int blocks = per_multiprocessor.load();
  if (blocks == 0) {
    check(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "cudaFuncSetAttribute");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, Kernel, threads, shared),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    per_multiprocessor.store(std::max(blocks, 1));
  }
  return on.multiprocessors * std::clamp(blocks, 1, most);
}

}  // namespace macareu::cuda

// Opt-in to more shared memory per block than the default 48 KiB.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda {

/// Limit of dynamic shared memory; the rest is for static arrays.
inline std::size_t shared_limit(const gpu& on) { return static_cast<std::size_t>(on.shared_memory) - 1024; }

class too_little_shared_memory : public too_large {
 public:
  using too_large::too_large;
};

inline void require_shared_memory(const gpu& on, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(on.shared_memory))
    throw too_little_shared_memory("cuda: strategy " + on.work.how.strategy + " needs " +
                                   std::to_string(bytes) + " bytes of shared memory per block, but GPU " +
                                   std::to_string(on.number) + " has " + std::to_string(on.shared_memory) +
                                   "; use another strategy or the cpu device");
}

/// Opts in once per kernel and GPU.
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

// Device memory that calls really hold, as the pool that all of it comes from has counted.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "engines/cuda/runtime/check.hpp"
#include "engines/cuda/runtime/memory_pool.hpp"

namespace macareu::test {

/// At the worst moment, in bytes, beyond what was held before.
struct held_memory {
  std::int64_t used;      // by images, tables, numbers
  std::int64_t reserved;  // what the pool had of the GPU for them, in pieces of its own size
};

inline std::int64_t pool_value(cudaMemPoolAttr attribute) {
  std::uint64_t value = 0;
  cuda::check(cudaMemPoolGetAttribute(cuda::memory_pool(0), attribute, &value), "cudaMemPoolGetAttribute");
  return static_cast<std::int64_t>(value);
}

inline void reset_peak(cudaMemPoolAttr high) {
  std::uint64_t to = 0;  // it goes down to what is held now
  cuda::check(cudaMemPoolSetAttribute(cuda::memory_pool(0), high, &to), "cudaMemPoolSetAttribute");
}

/// Of calls on the first GPU.
template <class Run>
held_memory watched(const Run& run) {
  cuda::check(cudaSetDevice(0), "cudaSetDevice");
  cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  cuda::check(cudaMemPoolTrimTo(cuda::memory_pool(0), 0), "cudaMemPoolTrimTo");
  reset_peak(cudaMemPoolAttrUsedMemHigh);
  reset_peak(cudaMemPoolAttrReservedMemHigh);
  const auto used = pool_value(cudaMemPoolAttrUsedMemCurrent),
             reserved = pool_value(cudaMemPoolAttrReservedMemCurrent);
  run();
  return {pool_value(cudaMemPoolAttrUsedMemHigh) - used,
          pool_value(cudaMemPoolAttrReservedMemHigh) - reserved};
}

}  // namespace macareu::test

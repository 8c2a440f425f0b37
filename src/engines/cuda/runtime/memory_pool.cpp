#include "engines/cuda/runtime/memory_pool.hpp"

#include <map>
#include <mutex>

#include "engines/cuda/runtime/check.hpp"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {
namespace {

cudaMemPool_t make_pool(int gpu) {
  cudaMemPoolProps about{};
  about.allocType = cudaMemAllocationTypePinned;
  about.location = {.type = cudaMemLocationTypeDevice, .id = gpu};
  cudaMemPool_t pool{};
  check(cudaMemPoolCreate(&pool, &about), "cudaMemPoolCreate");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
  std::uint64_t kept = properties.totalGlobalMem / tuning::kept_share;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), "cudaMemPoolSetAttribute");
  return pool;
}

}  // namespace

cudaMemPool_t memory_pool(int gpu) {
  static std::mutex making;
  static std::map<int, cudaMemPool_t> pools;
  const std::lock_guard lock(making);
  const auto found = pools.find(gpu);
  return found != pools.end() ? found->second : pools.emplace(gpu, make_pool(gpu)).first->second;
}

std::int64_t idle_memory(int gpu) {
  std::uint64_t held = 0, used = 0;
  const auto pool = memory_pool(gpu);
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held), "cudaMemPoolGetAttribute");
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "cudaMemPoolGetAttribute");
  return static_cast<std::int64_t>(held - used);
}

}  // namespace macareu::cuda

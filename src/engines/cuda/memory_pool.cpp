#include "engines/cuda/memory_pool.hpp"

#include <map>
#include <mutex>

#include "engines/cuda/check.hpp"

namespace macareu::cuda {
namespace {

/// Of a GPU's memory, what the pool keeps between calls: enough for images of some 16384 x 16384 bytes.
constexpr std::uint64_t kept_share = 16;

cudaMemPool_t make_pool(int gpu) {
  cudaMemPoolProps about{};
  about.allocType = cudaMemAllocationTypePinned;
  about.location = {.type = cudaMemLocationTypeDevice, .id = gpu};
  cudaMemPool_t pool{};
  check(cudaMemPoolCreate(&pool, &about), "cudaMemPoolCreate");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
  std::uint64_t kept = properties.totalGlobalMem / kept_share;
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

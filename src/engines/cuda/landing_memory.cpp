#include "engines/cuda/landing_memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>
#include <vector>

namespace macareu::cuda {
namespace {

/// Pinned memory is taken from everybody: what is larger comes through the transfers' own.
constexpr std::int64_t least_pinned = std::int64_t{64} << 10, most_pinned = std::int64_t{16} << 20;
constexpr std::size_t most_kept = 4;

/// Never freed: at the process's end the driver may be gone before it.
struct shelf {
  std::mutex using_it;
  std::vector<landing_memory::block> blocks;
};
shelf& kept() {
  static auto& all = *new shelf;
  return all;
}

/// Blocks have a few sizes, so that one fits many calls.
landing_memory::block take_pinned(std::int64_t bytes) {
  if (bytes > most_pinned) return {};
  const auto size =
      std::max(least_pinned, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes))));
  {
    auto& [using_it, blocks] = kept();
    const std::lock_guard lock(using_it);
    const auto found = std::ranges::find(blocks, size, &landing_memory::block::bytes);
    if (found != blocks.end()) {
      const auto taken = *found;
      blocks.erase(found);
      return taken;
    }
  }
  void* fresh = nullptr;
  if (cudaHostAlloc(&fresh, static_cast<std::size_t>(size), cudaHostAllocPortable) != cudaSuccess) {
    cudaGetLastError();  // it would be reported again by the next launch; pageable memory does as well
    return {};
  }
  return {static_cast<std::byte*>(fresh), size};
}

}  // namespace

landing_memory::landing_memory(std::int64_t bytes) : pinned_(take_pinned(bytes)) {
  if (!pinned_.data) pageable_.reset(new std::byte[static_cast<std::size_t>(bytes)]);
}

landing_memory::landing_memory(landing_memory&& other) noexcept
    : pinned_(std::exchange(other.pinned_, {})), pageable_(std::move(other.pageable_)) {}

landing_memory::~landing_memory() {
  if (!pinned_.data) return;
  {
    auto& [using_it, blocks] = kept();
    const std::lock_guard lock(using_it);
    if (blocks.size() < most_kept) {
      blocks.push_back(pinned_);
      return;
    }
  }
  cudaFreeHost(pinned_.data);
}

}  // namespace macareu::cuda

#include "engines/cuda/runtime/pinned_buffer.hpp"
#include "engines/cuda/tuning.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>
#include <vector>

namespace macareu::cuda {
namespace {

using tuning::least_pinned, tuning::most_pinned, tuning::most_pinned_kept;

/// Never freed: at process exit the driver may be unloaded first.
struct free_list {
  std::mutex using_it;
  std::vector<pinned_buffer::block> blocks;
};
free_list& kept() {
  static auto& all = *new free_list;
  return all;
}

/// Sizes are powers of two, so that a block fits many calls.
pinned_buffer::block take_pinned(std::int64_t bytes) {
  if (bytes > most_pinned) return {};
  const auto size =
      std::max(least_pinned, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes))));
  {
    auto& [using_it, blocks] = kept();
    const std::lock_guard lock(using_it);
    const auto found = std::ranges::find(blocks, size, &pinned_buffer::block::bytes);
    if (found != blocks.end()) {
      const auto taken = *found;
      blocks.erase(found);
      return taken;
    }
  }
  void* fresh = nullptr;
  if (cudaHostAlloc(&fresh, static_cast<std::size_t>(size), cudaHostAllocPortable) != cudaSuccess) {
    cudaGetLastError();  // the next launch would report it again; pageable memory is the fallback
    return {};
  }
  return {static_cast<std::byte*>(fresh), size};
}

}  // namespace

pinned_buffer::pinned_buffer(std::int64_t bytes) : pinned_(take_pinned(bytes)) {
  if (!pinned_.data) pageable_.reset(new std::byte[static_cast<std::size_t>(bytes)]);
}

pinned_buffer::pinned_buffer(pinned_buffer&& other) noexcept
    : pinned_(std::exchange(other.pinned_, {})), pageable_(std::move(other.pageable_)) {}

pinned_buffer::~pinned_buffer() {
  if (!pinned_.data) return;
  {
    auto& [using_it, blocks] = kept();
    const std::lock_guard lock(using_it);
    if (blocks.size() < most_pinned_kept) {
      blocks.push_back(pinned_);
      return;
    }
  }
  cudaFreeHost(pinned_.data);
}

}  // namespace macareu::cuda

#include "engines/cuda/runtime/pinned_ring.hpp"

#include "engines/cuda/runtime/check.hpp"

namespace macareu::cuda {
namespace {

struct ring {
  std::mutex leased;
  std::array<void*, chunk_count> memory{};
};

/// One per direction, because uploads and downloads overlap. Never freed: at process exit the driver may be
/// unloaded first.
std::array<ring, 2>& the_rings() {
  static auto& both = *new std::array<ring, 2>;
  return both;
}

}  // namespace

ring_lease::ring_lease(ring_use use, cudaStream_t stream) : stream_(stream) {
  auto& chosen = the_rings()[static_cast<std::size_t>(use)];
  lock_ = std::unique_lock(chosen.leased);
  memory_ = &chosen.memory;
}

ring_lease::~ring_lease() {
  cudaStreamSynchronize(stream_);
  for (const auto event : copied_)
    if (event) cudaEventDestroy(event);
}

std::byte* ring_lease::chunk(std::int64_t slot) {
  const auto at = static_cast<std::size_t>(slot);
  if (copied_[at]) check(cudaEventSynchronize(copied_[at]), "cudaEventSynchronize");
  auto*& memory = (*memory_)[at];
  if (!memory) check(cudaHostAlloc(&memory, chunk_bytes, cudaHostAllocPortable), "cudaHostAlloc");
  return static_cast<std::byte*>(memory);
}

void ring_lease::in_use(std::int64_t slot) {
  auto& event = copied_[static_cast<std::size_t>(slot)];
  if (!event) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  check(cudaEventRecord(event, stream_), "cudaEventRecord");
}

}  // namespace macareu::cuda

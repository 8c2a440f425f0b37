#include "engines/cuda/pinned_ring.hpp"

#include "engines/cuda/check.hpp"

namespace macareu::cuda {
namespace {

struct ring {
  std::mutex leased;
  std::array<void*, chunk_count> memory{};
};

/// Never freed: at the process's end the driver may be gone before it.
ring& the_ring() {
  static ring& only = *new ring;
  return only;
}

}  // namespace

ring_lease::ring_lease(cudaStream_t stream) : lock_(the_ring().leased), stream_(stream) {}

ring_lease::~ring_lease() {
  cudaStreamSynchronize(stream_);
  for (const auto event : copied_)
    if (event) cudaEventDestroy(event);
}

std::byte* ring_lease::chunk(std::int64_t turn) {
  const auto slot = static_cast<std::size_t>(turn) % chunk_count;
  if (copied_[slot]) check(cudaEventSynchronize(copied_[slot]), "cudaEventSynchronize");
  auto*& memory = the_ring().memory[slot];
  if (!memory) check(cudaHostAlloc(&memory, chunk_bytes, cudaHostAllocPortable), "cudaHostAlloc");
  return static_cast<std::byte*>(memory);
}

void ring_lease::in_use(std::int64_t turn) {
  auto& event = copied_[static_cast<std::size_t>(turn) % chunk_count];
  if (!event) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  check(cudaEventRecord(event, stream_), "cudaEventRecord");
}

}  // namespace macareu::cuda

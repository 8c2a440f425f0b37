// Distributes the set bits of a block's words evenly across its threads. Most words have no set bit and a few
// have many. A memory access for one thread takes as long as one for every thread.
#pragma once

#include <cstdint>

#include "engines/cuda/component/bit_runs.cuh"

namespace macareu::cuda::labels {

template <int Threads, int Room>
struct shared_bits {
  std::uint32_t count;
  std::uint16_t places[Room];  // in any order

  /// Called by all threads; a barrier must follow.
  __device__ __forceinline__ void clear() {
    if (threadIdx.x == 0) count = 0;
  }
  /// Adds the bits of a word whose bit 0 is at place `first`. Returns the bits that do not fit.
  template <class Word>
  __device__ __forceinline__ Word add(Word bits, int first) {
    if (!bits) return bits;
    for (auto at = atomicAdd(&count, static_cast<std::uint32_t>(__popcll(bits))); bits && at < Room;
         bits &= bits - 1)
      places[at++] = static_cast<std::uint16_t>(first + lowest(bits));
    return bits;
  }
  /// Calls visit(place) for every place. Called by all threads, after a barrier.
  template <class Visit>
  __device__ __forceinline__ void for_each(Visit&& visit) const {
    const auto all = min(count, static_cast<std::uint32_t>(Room));
    for (std::uint32_t i = threadIdx.x; i < all; i += Threads) visit(static_cast<int>(places[i]));
  }
};

}  // namespace macareu::cuda::labels

// Set bits of the words that a block's threads have, looked after by all threads alike: most words have none
// and a few have many, and what is asked of memory for one bit takes as long as for one bit of every thread.
#pragma once

#include <cstdint>

#include "engines/cuda/component/bit_runs.cuh"

namespace macareu::cuda::labels {

template <int Threads, int Room>
struct shared_bits {
  std::uint32_t count;
  std::uint16_t places[Room];  // in any order

  /// By all threads; a barrier has to follow.
  __device__ __forceinline__ void clear() {
    if (threadIdx.x == 0) count = 0;
  }
  /// The bits of a word, of which the first is at place `first`; those that there is no room for are
  /// returned.
  template <class Word>
  __device__ __forceinline__ Word add(Word bits, int first) {
    if (!bits) return bits;
    for (auto at = atomicAdd(&count, static_cast<std::uint32_t>(__popcll(bits))); bits && at < Room;
         bits &= bits - 1)
      places[at++] = static_cast<std::uint16_t>(first + lowest(bits));
    return bits;
  }
  /// visit(place). By all threads, after a barrier.
  template <class Visit>
  __device__ __forceinline__ void for_each(Visit&& visit) const {
    const auto all = min(count, static_cast<std::uint32_t>(Room));
    for (std::uint32_t i = threadIdx.x; i < all; i += Threads) visit(static_cast<int>(places[i]));
  }
};

}  // namespace macareu::cuda::labels

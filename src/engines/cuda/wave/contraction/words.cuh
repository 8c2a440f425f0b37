// Shared words: atomic maxima, reads concurrent with writes, packs of pixels.
#pragma once

#include <cuda/atomic>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace macareu::cuda::contraction {

using std::int64_t, std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;

/// atomicMax supports 32 and 64 bits.
template <class Key>
using word_of = std::conditional_t<sizeof(Key) == 8, unsigned long long, unsigned int>;

constexpr uint32_t all_lanes = 0xffffffffu;

/// Relaxed read of global memory that other blocks change: possibly stale, never torn.
template <class T>
__device__ T relaxed(const T* at) {
  return ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(*const_cast<T*>(at))
      .load(::cuda::memory_order_relaxed);
}
template <class T>
__device__ void store_relaxed(T* at, T value) {
  ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(*at).store(value, ::cuda::memory_order_relaxed);
}

/// The same for shared memory.
template <class T>
__device__ T peek(const T* at) {
  return *static_cast<const volatile T*>(at);
}

/// Atomic maximum in global and in shared memory. Reads first, because most attempts would not raise the
/// value.
template <class Word>
__device__ void raise(Word* at, Word value) {
  if (relaxed(at) < value) atomicMax(at, value);
}
template <class Word>
__device__ void raise_shared(Word* at, Word value) {
  if (peek(at) < value) atomicMax(at, value);
}

/// The largest value of a warp.
__device__ inline uint32_t warp_max(uint32_t value) { return __reduce_max_sync(all_lanes, value); }
__device__ inline unsigned long long warp_max(unsigned long long value) {
  const auto high = warp_max(static_cast<uint32_t>(value >> 32));
  const auto low = warp_max(static_cast<uint32_t>(value >> 32) == high ? static_cast<uint32_t>(value) : 0u);
  return static_cast<unsigned long long>(high) << 32 | low;
}

/// array[index] = max(array[index], value) for all lanes of a warp; zeros have no effect. One atomic if all
/// lanes have the same index, as in flat images.
template <class Word>
__device__ void raise_together(Word* array, uint32_t index, Word value) {
  if (!__any_sync(all_lanes, value != 0)) return;
  int same = 0;
  __match_all_sync(all_lanes, index, &same);
  if (same) value = warp_max(value);
  if (!same || threadIdx.x % 32 == 0) raise_shared(&array[index], value);
}

/// Barrier of the first Threads threads of a block. Whole blocks use barrier 0, as __syncthreads() does.
template <int Threads, int OfBlock>
__device__ void sync_first() {
  if constexpr (Threads == OfBlock)
    __syncthreads();
  else
    asm volatile("barrier.sync 1, %0;" ::"n"(Threads) : "memory");
}
/// The same; true if the predicate is, for any of the threads.
template <int Threads, int OfBlock>
__device__ bool sync_first_or(bool any) {
  if constexpr (Threads == OfBlock) return __syncthreads_or(any);
  int found;
  asm volatile(
      "{ .reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.red.or.pred q, 1, %2, p; selp.s32 %0, 1, 0, q; }"
      : "=r"(found)
      : "r"(static_cast<int>(any)), "n"(Threads)
      : "memory");
  return found;
}

/// Consecutive places in a list for the lanes with `wanted`: one atomic per warp.
template <class Count>
__device__ Count place_in_list(Count* count, bool wanted) {
  const uint32_t wishes = __ballot_sync(all_lanes, wanted);
  if (!wishes) return 0;
  const int lane = threadIdx.x % 32, first = __ffs(wishes) - 1;
  Count base = 0;
  if (lane == first) base = atomicAdd(count, static_cast<Count>(__popc(wishes)));
  return __shfl_sync(all_lanes, base, first) + __popc(wishes & ((1u << lane) - 1));
}

/// Adjacent pixels, loaded at once where alignment allows.
template <class T, int Count>
struct alignas(Count * sizeof(T) < 16 ? Count * sizeof(T) : 16) pack {
  T at[Count];
};

/// A pack of narrow pixels as 32-bit words.
template <class T, int Count>
using words_of = pack<uint32_t, Count * sizeof(T) / 4>;

template <class T, int Count>
__device__ words_of<T, Count> as_words(const pack<T, Count>& a) {
  return std::bit_cast<words_of<T, Count>>(a);
}
template <class T, int Words>
__device__ pack<T, Words * 4 / sizeof(T)> as_keys(const pack<uint32_t, Words>& a) {
  return std::bit_cast<pack<T, Words * 4 / sizeof(T)>>(a);
}

/// A narrow key in all places of a word.
template <class T>
__device__ uint32_t repeated(T key) {
  static_assert(sizeof(T) <= 2);
  return key * (sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
}

template <class T, int Words>
__device__ pack<uint32_t, Words> flipped(pack<uint32_t, Words> a, T flip) {
#pragma unroll
  for (auto& word : a.at) word ^= repeated(flip);
  return a;
}

template <class T, int Words>
__device__ bool all_are(const pack<uint32_t, Words>& a, T value) {
  bool equal = true;
  if constexpr (sizeof(T) <= 2) {
#pragma unroll
    for (const auto word : a.at) equal &= word == repeated(value);
  } else {
    const auto keys = as_keys<T>(a);
#pragma unroll
    for (const auto own : keys.at) equal &= own == value;
  }
  return equal;
}

template <int Words>
__device__ bool are_equal(const pack<uint32_t, Words>& a, const pack<uint32_t, Words>& b) {
  uint32_t difference = 0;
#pragma unroll
  for (int i = 0; i < Words; ++i) difference |= a.at[i] ^ b.at[i];
  return difference == 0;
}

template <class T, int Words>
__device__ pack<uint32_t, Words> lower(pack<uint32_t, Words> a, const pack<uint32_t, Words>& b) {
  if constexpr (sizeof(T) <= 2) {
#pragma unroll
    for (int i = 0; i < Words; ++i)
      a.at[i] = sizeof(T) == 1 ? __vminu4(a.at[i], b.at[i]) : __vminu2(a.at[i], b.at[i]);
    return a;
  } else {
    auto keys = as_keys<T>(a);
    const auto others = as_keys<T>(b);
#pragma unroll
    for (std::size_t i = 0; i < std::size(keys.at); ++i) keys.at[i] = min(keys.at[i], others.at[i]);
    return as_words(keys);
  }
}

}  // namespace macareu::cuda::contraction

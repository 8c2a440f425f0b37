// Rows of a tally that many threads update, with atomics only.
//
// A 128-bit sum is two words. The atomic add to the low word returns its old value, so the lane that made it
// wrap around adds the carry to the high word. Integers wrap around and bounds only move outwards. The result
// is therefore bit-identical for any order of threads.
#pragma once

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

#include "patterns/tally.hpp"

namespace macareu::cuda {

using atomic_word = unsigned long long;

template <class Word>
__device__ __forceinline__ Word swapped(Word value, int apart) {
  if constexpr (sizeof(Word) == 16)
    return static_cast<Word>(swapped(static_cast<atomic_word>(value >> 64), apart)) << 64 |
           swapped(static_cast<atomic_word>(value), apart);
  else if constexpr (sizeof(Word) == 8)
    return static_cast<Word>(__shfl_xor_sync(~0u, static_cast<atomic_word>(value), apart));
  else
    return __shfl_xor_sync(~0u, value, apart);
}

template <class Word, class Join>
__device__ __forceinline__ Word over_warp(Word value, Join&& join) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) value = join(value, swapped(value, apart));
  return value;
}

template <class Word>
__device__ __forceinline__ Word sum_of_warp(Word value) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(Word) == 4) return static_cast<Word>(__reduce_add_sync(~0u, value));
#endif
  return over_warp(value, [](Word a, Word b) { return a + b; });
}
template <class Word>
__device__ __forceinline__ Word least_of_warp(Word value) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(Word) == 4) return __reduce_min_sync(~0u, value);
#endif
  return over_warp(value, [](Word a, Word b) { return b < a ? b : a; });
}
template <class Word>
__device__ __forceinline__ Word most_of_warp(Word value) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(Word) == 4) return __reduce_max_sync(~0u, value);
#endif
  return over_warp(value, [](Word a, Word b) { return a < b ? b : a; });
}

/// The type of each size that atomicAdd and other atomics accept.
template <class Word>
using known_word =
    std::conditional_t<std::is_signed_v<Word>, std::conditional_t<sizeof(Word) == 4, int, long long>,
                       std::conditional_t<sizeof(Word) == 4, unsigned, atomic_word>>;
template <class Word>
__device__ __forceinline__ known_word<Word>* known(Word& word) {
  return reinterpret_cast<known_word<Word>*>(&word);
}
template <class Word>
__device__ __forceinline__ const known_word<Word>* known(const Word& word) {
  return reinterpret_cast<const known_word<Word>*>(&word);
}

template <class Word>
__device__ __forceinline__ void add_word(Word& to, Word value) {
  if constexpr (sizeof(Word) == 16) {
    auto* const words = reinterpret_cast<atomic_word*>(&to);  // the low one first
    const auto low = static_cast<atomic_word>(value);
    auto high = static_cast<atomic_word>(value >> 64);
    if (low != 0 && atomicAdd(words, low) + low < low) ++high;
    if (high != 0) atomicAdd(words + 1, high);
  } else if (value != 0) {
    atomicAdd(known(to), known_word<Word>(value));
  }
}

/// Adds a lane's row to one in shared memory.
template <class Row>
__device__ void add_row(Row& to, const Row& own) {
  for (std::size_t i = 0; i != own.count.size(); ++i) add_word(to.count[i], own.count[i]);
  for (std::size_t i = 0; i != own.sum.size(); ++i) add_word(to.sum[i], own.sum[i]);
  for (std::size_t i = 0; i != own.least.size(); ++i) {
    atomicMin(known(to.least[i]), *known(own.least[i]));
    atomicMax(known(to.most[i]), *known(own.most[i]));
  }
}

/// Joins the rows of the member lanes and adds them to one in shared memory. Needs whole warps; `to` is null
/// in all lanes but one. Goes word by word, so that the joined row takes no registers.
template <class Row>
__device__ void add_rows_of_warp(Row* to, bool member, const Row& own) {
  const Row none;
  for (std::size_t i = 0; i != own.count.size(); ++i) {
    const auto sum = sum_of_warp(member ? own.count[i] : none.count[i]);
    if (to) add_word(to->count[i], sum);
  }
  for (std::size_t i = 0; i != own.sum.size(); ++i) {
    const auto sum = sum_of_warp(member ? own.sum[i] : none.sum[i]);
    if (to) add_word(to->sum[i], sum);
  }
  for (std::size_t i = 0; i != own.least.size(); ++i) {
    const auto least = least_of_warp(member ? own.least[i] : none.least[i]);
    const auto most = most_of_warp(member ? own.most[i] : none.most[i]);
    if (!to) continue;
    atomicMin(known(to->least[i]), *known(least));
    atomicMax(known(to->most[i]), *known(most));
  }
}

/// Adds a row to one of the image. All low words go first, so that their latencies overlap. A bound is loaded
/// first to skip useless atomics: bounds only move outwards, so a stale value is safe.
template <std::size_t Counts, std::size_t Sums, std::size_t Bounds>
__device__ void add_to_device_row(tally_row<Counts, Sums, Bounds>& to,
                                  const tally_row<Counts, Sums, Bounds>& own) {
  for (std::size_t i = 0; i != Counts; ++i) add_word(to.count[i], own.count[i]);
  atomic_word high[Sums + 1];
  for (std::size_t i = 0; i != Sums; ++i) {
    const auto low = static_cast<atomic_word>(own.sum[i]);
    high[i] = static_cast<atomic_word>(own.sum[i] >> 64);
    if (low != 0 && atomicAdd(reinterpret_cast<atomic_word*>(&to.sum[i]), low) + low < low) ++high[i];
  }
  for (std::size_t i = 0; i != Sums; ++i)
    if (high[i] != 0) atomicAdd(reinterpret_cast<atomic_word*>(&to.sum[i]) + 1, high[i]);
  const auto now = [](std::int64_t& bound) {
    return ::cuda::atomic_ref<long long, ::cuda::thread_scope_device>(*known(bound))
        .load(::cuda::memory_order_relaxed);
  };
  for (std::size_t i = 0; i != Bounds; ++i) {
    if (own.least[i] < now(to.least[i])) atomicMin(known(to.least[i]), *known(own.least[i]));
    if (own.most[i] > now(to.most[i])) atomicMax(known(to.most[i]), *known(own.most[i]));
  }
}

}  // namespace macareu::cuda

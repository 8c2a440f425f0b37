// States that several threads access concurrently.
//
// A state is read and written whole. In PTX's memory model volatile accesses are strong and relaxed: no data
// race with each other or with atomics. They bypass the L1 cache.
#pragma once

#include <bit>
#include <cstdint>

#include "core/key.hpp"
#include "core/site.hpp"

namespace macareu::cuda {

inline constexpr unsigned whole_warp = 0xffffffffu;

template <class T>
__device__ T relaxed_load(const T* at) {
  static_assert(alignof(T) == sizeof(T), "a state is one machine word");
  return std::bit_cast<T>(*reinterpret_cast<const volatile key_of<T>*>(at));
}

template <class T>
__device__ void relaxed_store(T* at, T value) {
  static_assert(alignof(T) == sizeof(T), "a state is one machine word");
  *reinterpret_cast<volatile key_of<T>*>(at) = std::bit_cast<key_of<T>>(value);
}

/// Compare-and-swap of `seen` by `next`. If it fails, returns false and updates `seen`.
template <class Bits>
__device__ bool exchange_if(Bits* at, Bits& seen, Bits next) {
  const Bits expected = seen;
  if constexpr (sizeof(Bits) == 8) {
    using wide = unsigned long long;
    seen = atomicCAS(reinterpret_cast<wide*>(at), static_cast<wide>(expected), static_cast<wide>(next));
  } else {
    seen = atomicCAS(at, expected, next);
  }
  return seen == expected;
}

/// CUDA has no atomics of one byte: exchanges the aligned word and keeps its other bytes. The word may extend
/// past the image's last byte, never past its allocation's last word.
__device__ inline bool exchange_if(std::uint8_t* at, std::uint8_t& seen, std::uint8_t next) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  auto* word = reinterpret_cast<std::uint32_t*>(address & ~std::uintptr_t{3});
  const int shift = 8 * static_cast<int>(address & 3);
  for (std::uint32_t now = relaxed_load(word);;) {
    const auto held = static_cast<std::uint8_t>(now >> shift);
    if (held != seen) {
      seen = held;
      return false;
    }
    const std::uint32_t changed = (now & ~(0xffu << shift)) | static_cast<std::uint32_t>(next) << shift;
    const std::uint32_t before = atomicCAS(word, now, changed);
    if (before == now) return true;
    now = before;
  }
}

/// Writes the offer to q if it is better than the state at the time of the write. No concurrent offer is
/// lost, and no state gets worse.
template <class Rule, class State>
__device__ bool improve(const Rule& rule, State* at, State offer, site q) {
  using bits = key_of<State>;
  bits seen = std::bit_cast<bits>(relaxed_load(at));
  while (rule.better(offer, std::bit_cast<State>(seen), q))
    if (exchange_if(reinterpret_cast<bits*>(at), seen, std::bit_cast<bits>(offer))) return true;
  return false;
}

}  // namespace macareu::cuda

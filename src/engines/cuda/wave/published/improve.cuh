// States that several threads use at once.
//
// A state is read and written whole: volatile accesses are strong relaxed ones in PTX's memory model, so they
// are no data race against each other or against atomics, and they go past the L1 cache.
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

/// Puts `next` where `seen` is; otherwise says false, and `seen` is what is there.
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

/// No atomics of one byte exist: the aligned word around it is exchanged, its other bytes as they are. The
/// word may reach past the image's last byte, never past its allocation's last word.
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

/// The state at q becomes the offer if that is better than what is there when it is written: of several
/// offers at once none is lost, and no state ever gets worse.
template <class Rule, class State>
__device__ bool improve(const Rule& rule, State* at, State offer, site q) {
  using bits = key_of<State>;
  bits seen = std::bit_cast<bits>(relaxed_load(at));
  while (rule.better(offer, std::bit_cast<State>(seen), q))
    if (exchange_if(reinterpret_cast<bits*>(at), seen, std::bit_cast<bits>(offer))) return true;
  return false;
}

}  // namespace macareu::cuda

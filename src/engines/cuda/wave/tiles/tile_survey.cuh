// What the first visit of an image's tile finds in it before any pass, looked at while the pixels are in
// registers.
#pragma once

#include <cuda_runtime.h>

#include "engines/cuda/wave/problem.cuh"
#include "engines/cuda/wave/tiles/scheduler.cuh"

namespace macareu::cuda::tiles {

template <class Key>
class tile_survey {
 public:
  /// `first`: the same key in every lane, that of some state of the tile.
  __device__ tile_survey(const key_map<Key>& map, Key first) : map_(map), first_(first) {}

  __device__ void add(Key state, Key capacity) {
    varied_ |= state != first_;
    room_ |= state != capacity;
    beyond_ |= state > capacity || map_.is_nan(state) || map_.is_nan(capacity);
  }
  /// Keys in 16 bytes.
  __device__ void add(const uint4& state, const uint4& capacity) {
    add_word(state.x, capacity.x), add_word(state.y, capacity.y);
    add_word(state.z, capacity.z), add_word(state.w, capacity.w);
  }
  __device__ void join_lanes() {
    const unsigned all =
        __reduce_or_sync(all_lanes, (varied_ ? 1u : 0u) | (room_ ? 2u : 0u) | (beyond_ ? 4u : 0u));
    varied_ = all & 1, room_ = all & 2, beyond_ = all & 4;
  }

  /// Passes may change the tile: equal states within their capacities stay as they are.
  __device__ bool moves() const { return varied_ || beyond_; }
  /// Nothing to spread within the tile, but room to rise.
  __device__ bool waits() const { return !varied_ && room_; }
  /// A start lies beyond its capacity, or is NaN.
  __device__ bool beyond() const { return beyond_; }

 private:
  __device__ void add_word(unsigned state, unsigned capacity) {
    static_assert(sizeof(Key) <= 4);
    if constexpr (sizeof(Key) == 4) {
      add(static_cast<Key>(state), static_cast<Key>(capacity));
    } else {
      varied_ |= state ^ first_ * (sizeof(Key) == 1 ? 0x01010101u : 0x00010001u);
      room_ |= state ^ capacity;
      beyond_ |= above(state, capacity);
    }
  }
  /// Not 0 if any key of a is above that of b: what lies below the top bits is compared in a difference in
  /// which no key borrows from the next.
  static __device__ unsigned above(unsigned a, unsigned b) {
    constexpr unsigned top = sizeof(Key) == 1 ? 0x80808080u : 0x80008000u;
    const unsigned low = (b | top) - (a & ~top);
    return top & ~((b & ~a) | (~(b ^ a) & low));
  }

  key_map<Key> map_;
  Key first_;
  unsigned varied_ = 0, room_ = 0, beyond_ = 0;
};

template <>
__device__ inline void tile_survey<std::uint64_t>::add(const uint4& state, const uint4& capacity) {
  const auto key = [](unsigned low, unsigned high) { return low | static_cast<std::uint64_t>(high) << 32; };
  add(key(state.x, state.y), key(capacity.x, capacity.y));
  add(key(state.z, state.w), key(capacity.z, capacity.w));
}

}  // namespace macareu::cuda::tiles

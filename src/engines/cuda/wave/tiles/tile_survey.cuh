// Survey of a 2-D tile in its first visit, before any pass, while the pixels are in registers.
#pragma once

#include <cuda_runtime.h>

#include "engines/cuda/wave/problem.cuh"
#include "engines/cuda/wave/tiles/scheduler.cuh"

namespace macareu::cuda::tiles {

template <class Key>
class tile_survey {
 public:
  /// `first`: the key of some state of the tile, the same in every lane.
  __device__ tile_survey(const key_map<Key>& map, Key first) : map_(map), first_(first) {}

  __device__ void add(Key state, Key capacity) {
    varied_ |= state != first_;
    room_ |= state != capacity;
    beyond_ |= state > capacity || map_.is_nan(state) || map_.is_nan(capacity);
  }
  /// Keys in 16 bytes.
  __device__ void add(const uint4& state, const uint4& capacity) {
    const auto s = first_two(state), c = first_two(capacity);
    if constexpr (sizeof(Key) == 8) {
      add(s.a, c.a), add(s.b, c.b);
    } else {
      add_word(state.x, capacity.x), add_word(state.y, capacity.y);
      add_word(state.z, capacity.z), add_word(state.w, capacity.w);
    }
    add_place(s.a, s.b, c.a, c.b);
  }
  /// Two adjacent pixels. At most 32 places down the tile, the same number in every lane.
  __device__ void add_place(Key state, Key next_state, Key capacity, Key next_capacity) {
    slopes_ = slopes_ << 1 | (capacity < next_capacity ? 1u : 0u);
    open_ += min(capacity, next_capacity) > max(state, next_state) ? 1u : 0u;
    ++places_;
  }
  __device__ void join_lanes() {
    const unsigned all =
        __reduce_or_sync(all_lanes, (varied_ ? 1u : 0u) | (room_ ? 2u : 0u) | (beyond_ ? 4u : 0u));
    varied_ = all & 1, room_ = all & 2, beyond_ = all & 4;
    const unsigned pairs = (1u << (places_ - 1)) - 1;
    const unsigned sums =
        __reduce_add_sync(all_lanes, open_ << 16 | __popc((slopes_ ^ slopes_ >> 1) & pairs));
    open_ = sums >> 16, turns_ = sums & 0xffffu;
  }

  /// Can passes change the tile? Equal states within their capacities stay.
  __device__ bool moves() const { return varied_ || beyond_; }
  /// Nothing to spread within the tile, but room to rise.
  __device__ bool waits() const { return !varied_ && room_; }
  /// A start lies beyond its capacity, or is NaN.
  __device__ bool beyond() const { return beyond_; }
  /// Estimated work of contraction on the tile, 0 to 4. It is 0 unless slopes change sign in at least an
  /// eighth of the pairs down the tile. In noise half of the pairs do; on flat capacities and ramps hardly
  /// any. Else it grows with the share of pixels that could pass on more than they have. Starts close below
  /// the capacities make it low.
  __device__ unsigned ruggedness() const {
    const unsigned all = 32 * places_;
    return turns_ * 8 >= all - 32 ? min(4u, open_ * 8 / all) : 0;
  }

 private:
  struct two_keys {
    Key a, b;
  };
  static __device__ two_keys first_two(const uint4& keys) {
    if constexpr (sizeof(Key) == 8)
      return {keys.x | static_cast<Key>(keys.y) << 32, keys.z | static_cast<Key>(keys.w) << 32};
    else if constexpr (sizeof(Key) == 4)
      return {keys.x, keys.y};
    else
      return {static_cast<Key>(keys.x), static_cast<Key>(keys.x >> 8 * sizeof(Key))};
  }

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
  /// Not 0 if any key of a is above that of b. The top bits are compared apart, so no key borrows from the
  /// next.
  static __device__ unsigned above(unsigned a, unsigned b) {
    constexpr unsigned top = sizeof(Key) == 1 ? 0x80808080u : 0x80008000u;
    const unsigned low = (b | top) - (a & ~top);
    return top & ~((b & ~a) | (~(b ^ a) & low));
  }

  key_map<Key> map_;
  Key first_;
  unsigned varied_ = 0, room_ = 0, beyond_ = 0;
  unsigned slopes_ = 0, open_ = 0, places_ = 0, turns_ = 0;
};

}  // namespace macareu::cuda::tiles

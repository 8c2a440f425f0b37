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
    take_room(state != capacity);
    beyond_ |= state > capacity || map_.is_nan(state) || map_.is_nan(capacity);
  }
  /// Keys in 16 bytes.
  __device__ void add(const uint4& state, const uint4& capacity) {
    add_words(state, capacity);
    add_slope(ascends(capacity));
  }
  /// Whether the capacity rises from a pixel to one beside it. Of up to 32 places down the tile, as many in
  /// every lane.
  __device__ void add_slope(bool rises) {
    slopes_ = slopes_ << 1 | (rises ? 1u : 0u);
    ++places_;
  }
  __device__ void join_lanes() {
    const unsigned all = __reduce_or_sync(all_lanes, (varied_ ? 1u : 0u) | (beyond_ ? 2u : 0u));
    varied_ = all & 1, beyond_ = all & 2;
    const unsigned pairs = (1u << (places_ - 1)) - 1;
    const unsigned sums =
        __reduce_add_sync(all_lanes, room_ << 16 | __popc((slopes_ ^ slopes_ >> 1) & pairs));
    room_ = sums >> 16, turns_ = sums & 0xffffu;
  }

  /// Passes may change the tile: equal states within their capacities stay as they are.
  __device__ bool moves() const { return varied_ || beyond_; }
  /// Nothing to spread within the tile, but room to rise.
  __device__ bool waits() const { return !varied_ && room_; }
  /// A start lies beyond its capacity, or is NaN.
  __device__ bool beyond() const { return beyond_; }
  /// For lane 0: half of the tile has room to rise, and slopes turn in an eighth of the places (in noise in
  /// half of them, in none where capacities are flat or smooth). Contraction has much to do with such tiles.
  __device__ bool is_rugged() const { return turns_ * 8 >= 32 * (places_ - 1) && room_ * 2 >= 32 * looks_; }

 private:
  /// Of a pixel, or of a word of narrow ones.
  __device__ void take_room(bool any) {
    room_ += any ? 1u : 0u;
    ++looks_;
  }
  __device__ void add_word(unsigned state, unsigned capacity) {
    static_assert(sizeof(Key) <= 4);
    if constexpr (sizeof(Key) == 4) {
      add(static_cast<Key>(state), static_cast<Key>(capacity));
    } else {
      varied_ |= state ^ first_ * (sizeof(Key) == 1 ? 0x01010101u : 0x00010001u);
      take_room(state != capacity);
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

  __device__ void add_words(const uint4& state, const uint4& capacity) {
    add_word(state.x, capacity.x), add_word(state.y, capacity.y);
    add_word(state.z, capacity.z), add_word(state.w, capacity.w);
  }
  /// From the first key to the second.
  static __device__ bool ascends(const uint4& keys) {
    if constexpr (sizeof(Key) == 4) return keys.x < keys.y;
    return static_cast<Key>(keys.x) < static_cast<Key>(keys.x >> (sizeof(Key) == 1 ? 8 : 16));
  }

  key_map<Key> map_;
  Key first_;
  unsigned varied_ = 0, beyond_ = 0;
  unsigned room_ = 0, looks_ = 0;
  unsigned slopes_ = 0, places_ = 0, turns_ = 0;
};

template <>
__device__ inline void tile_survey<std::uint64_t>::add(const uint4& state, const uint4& capacity) {
  const auto key = [](unsigned low, unsigned high) { return low | static_cast<std::uint64_t>(high) << 32; };
  const auto a = key(capacity.x, capacity.y), b = key(capacity.z, capacity.w);
  add(key(state.x, state.y), a);
  add(key(state.z, state.w), b);
  add_slope(a < b);
}

}  // namespace macareu::cuda::tiles

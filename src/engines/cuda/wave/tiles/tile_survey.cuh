// Survey of a 2-D tile in its first visit, before any pass, while the pixels are in registers.
#pragma once

#include <cuda_runtime.h>

#include "engines/cuda/wave/problem.cuh"
#include "engines/cuda/wave/tiles/scheduler.cuh"

namespace macareu::cuda::tiles {

template <class Key>
class tile_survey {
 public:
  /// Keys that are the same in every lane: those of some pixel of the tile.
  __device__ tile_survey(const key_map<Key>& map, Key state, Key capacity)
      : map_(map), state_(state), capacity_(capacity) {}

  __device__ void add(Key state, Key capacity) {
    varied_ |= state != state_;
    uneven_ |= capacity != capacity_;
    beyond_ |= state > capacity || map_.is_nan(state) || map_.is_nan(capacity);
  }
  /// Keys in 16 bytes.
  __device__ void add(const uint4& state, const uint4& capacity) {
    if constexpr (sizeof(Key) == 8) {
      add(two_words(state.x, state.y), two_words(capacity.x, capacity.y));
      add(two_words(state.z, state.w), two_words(capacity.z, capacity.w));
    } else {
      add_word(state.x, capacity.x), add_word(state.y, capacity.y);
      add_word(state.z, capacity.z), add_word(state.w, capacity.w);
    }
  }
  __device__ void join_lanes() {
    const unsigned all =
        __reduce_or_sync(all_lanes, (varied_ ? 1u : 0u) | (beyond_ ? 2u : 0u) | (uneven_ ? 4u : 0u));
    varied_ = all & 1, beyond_ = all & 2, uneven_ = all & 4;
  }

  /// Can passes change the tile? Equal states within their capacities stay.
  __device__ bool moves() const { return varied_ || beyond_; }
  /// A start lies beyond its capacity, or is NaN.
  __device__ bool beyond() const { return beyond_; }
  /// Capacities differ. Where they do not, contraction has little to do.
  __device__ bool uneven() const { return uneven_; }

 private:
  static __device__ std::uint64_t two_words(unsigned low, unsigned high) {
    return low | static_cast<std::uint64_t>(high) << 32;
  }

  __device__ void add_word(unsigned state, unsigned capacity) {
    static_assert(sizeof(Key) <= 4);
    if constexpr (sizeof(Key) == 4) {
      add(static_cast<Key>(state), static_cast<Key>(capacity));
    } else {
      constexpr unsigned all_places = sizeof(Key) == 1 ? 0x01010101u : 0x00010001u;
      varied_ |= state ^ state_ * all_places;
      uneven_ |= capacity ^ capacity_ * all_places;
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
  Key state_, capacity_;
  unsigned varied_ = 0, beyond_ = 0, uneven_ = 0;
};

}  // namespace macareu::cuda::tiles

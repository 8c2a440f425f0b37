// Basins of a tile: every pixel links to its highest neighbour, and flat zones link to a higher pixel if they
// have one.
//
// A pixel can join any neighbour that is no lower, because none of its edges exceeds its own capacity.
// Capacities rise along such ways, so R(p) = min(capacity(p), R(end of the way)).
#pragma once

#include "engines/cuda/wave/contraction/flat_zones.cuh"

namespace macareu::cuda::contraction {

struct ascent {
  bool higher, level;  // a neighbour is higher; none is, but one is equal
  int step;            // to the highest
};

/// 16-bit values leave room for the direction in the low bits: one maximum finds both.
template <class Key, class Shape>
__device__ ascent steepest_packed(const Key* at, Key own) {
  static_assert(Shape::depth == 1 && Shape::width == 64);
  constexpr int row = Shape::mask_row;
  const auto with = [&](int offset, uint32_t code) { return static_cast<uint32_t>(at[offset]) * 8 + code; };
  uint32_t best = max(max(with(-1, 3), with(1, 4)), max(with(-row, 1), with(row, 6)));
  if constexpr (Shape::reach > 1)
    best = max(best, max(max(with(-row - 1, 0), with(-row + 1, 2)), max(with(row - 1, 5), with(row + 1, 7))));
  // Steps -65, -64, -63, -1, 1, 63, 64, 65 as bytes.
  const auto step = static_cast<signed char>(__byte_perm(0xffc1c0bfu, 0x41403f01u, best & 7));
  const bool higher = best >= (own + 1u) * 8;
  return {higher, !higher && best >= own * 8u, step};
}

template <class Key, class Shape>
__device__ ascent steepest(const Key* at, Key own) {
  if constexpr (sizeof(Key) <= 2 && Shape::depth == 1) return steepest_packed<Key, Shape>(at, own);
  Key best = 0;
  int found = 0;
  each<Shape::directions>([&](auto d) {
    constexpr step s = Shape::forward(d);
    constexpr int there = Shape::mask_offset(s), offset = Shape::offset(s);
    if (at[there] > best) best = at[there], found = offset;
    if (at[-there] > best) best = at[-there], found = -offset;
  });
  return {best > own, best == own, found};
}

/// Ways of the warp's band, from top to bottom. Rows without flat zones skip follow_zones.
template <class Key, class Shape>
__device__ void find_ways() {
  using memory = tile_memory<Key, Shape>;
  const band<Shape> mine;
  const Key* at = memory::mask() + Shape::mask_index(mine.first);
  row_above above;
#pragma unroll 2
  for (int i = 0; i < Shape::band_rows; ++i, at += Shape::mask_row) {
    const int p = mine.pixel(i);
    const Key own = *at;
    const auto up = steepest<Key, Shape>(at, own);
    const uint32_t flat = __ballot_sync(all_lanes, !up.higher);
    const uint32_t level = __ballot_sync(all_lanes, up.level);
    if (level | above.level) {
      follow_zones<Key, Shape>(mine, i, at, own, up.higher ? p + up.step : p, flat, above);
      above.level = level;
    } else {
      memory::way()[p] = up.higher ? p + up.step : p;
      if (mine.lane == 0) memory::open()[p / 32] = flat;
      above = {};
    }
  }
}

/// Finds the end of every pixel's way by pointer jumping. The distance grows fourfold a round.
template <class Key, class Shape>
__device__ void follow_ways(uint32_t (&end)[Shape::band_rows]) {
  const band<Shape> mine;
  auto* way = tile_memory<Key, Shape>::way();
#pragma unroll
  for (int i = 0; i < Shape::band_rows; ++i) end[i] = way[mine.pixel(i)];
  bool moved = true;
  while (true) {
    if (__any_sync(all_lanes, moved)) {
      moved = false;
#pragma unroll
      for (int i = 0; i < Shape::band_rows; ++i) {
        const uint32_t near = way[way[end[i]]];
        end[i] = way[near];
        moved |= end[i] != near;
      }
    }
    if (!__syncthreads_or(moved)) return;
    if (moved) {
#pragma unroll
      for (int i = 0; i < Shape::band_rows; ++i) way[mine.pixel(i)] = end[i];
    }
    __syncthreads();
  }
}

/// Numbers the roots of basins, which are the ends of ways, and labels every pixel with its basin.
template <class Key, class Shape>
__device__ void label_basins() {
  using memory = tile_memory<Key, Shape>;
  const band<Shape> mine;
  uint32_t end[Shape::band_rows];
  follow_ways<Key, Shape>(end);
  uint32_t roots = 0;
#pragma unroll
  for (int i = 0; i < Shape::band_rows; ++i)
    roots += __popc(__ballot_sync(all_lanes, static_cast<int>(end[i]) == mine.pixel(i)));
  uint32_t number = 0;
  if (mine.lane == 0 && roots) number = atomicAdd(&memory::basin_count(), roots);
  number = __shfl_sync(all_lanes, number, 0);
#pragma unroll
  for (int i = 0; i < Shape::band_rows; ++i) {
    const bool root = static_cast<int>(end[i]) == mine.pixel(i);
    const uint32_t mask = __ballot_sync(all_lanes, root);
    if (root) memory::label()[mine.pixel(i)] = number + __popc(mask & ((1u << mine.lane) - 1));
    number += __popc(mask);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Shape::band_rows; ++i)
    if (static_cast<int>(end[i]) != mine.pixel(i)) memory::label()[mine.pixel(i)] = memory::label()[end[i]];
}

/// A tile of one capacity is one basin.
template <class Key, class Shape>
__device__ void one_basin() {
  using four = pack<uint16_t, 4>;
  for (int i = threadIdx.x; i < Shape::pixels / 4; i += Shape::threads)
    reinterpret_cast<four*>(tile_memory<Key, Shape>::label())[i] = {};
  if (threadIdx.x == 0) tile_memory<Key, Shape>::basin_count() = 1;
  __syncthreads();
}

/// Labels every pixel and counts the basins. Call after loading the capacities and a barrier.
template <class Key, class Shape>
__device__ void find_basins() {
  find_ways<Key, Shape>();
  __syncthreads();
  join_bands<Key, Shape>();
  __syncthreads();
  label_basins<Key, Shape>();
  __syncthreads();
}

}  // namespace macareu::cuda::contraction

// Basins of a tile: every pixel links to its highest neighbour, and flat zones link to a higher pixel if they
// have one.
//
// A pixel can join any neighbour that is no lower, because none of its edges exceeds its own capacity.
// Capacities rise along such ways, so R(p) = min(capacity(p), R(end of the way)).
#pragma once

#include "engines/cuda/wave/contraction/tile_memory.cuh"

namespace macareu::cuda::contraction {

struct ascent {
  bool higher, level;  // a neighbour is higher; none is, but one is equal
  int step;            // to the highest
};

/// Capacities around a pixel. In images of narrow keys they stay in registers from row to row, and only the
/// row below is loaded.
template <class Key, class Shape, bool InRegisters = Shape::depth == 1 && sizeof(Key) <= 2>
class pixels_around {
 public:
  __device__ explicit pixels_around(const Key* at) : at_(at) {
    load(-1, rows_[0]);
    load(0, rows_[1]);
  }
  /// Call before any get() in a row, and step_down() after all.
  __device__ void load_below() { load(1, rows_[2]); }
  __device__ void step_down() {
    at_ += Shape::mask_row;
#pragma unroll
    for (int i = 0; i < 3; ++i) rows_[0][i] = rows_[1][i], rows_[1][i] = rows_[2][i];
  }
  template <step S>
  __device__ Key get() const {
    return rows_[S.y + 1][S.x + 1];
  }

 private:
  __device__ void load(int row, Key* to) const {
#pragma unroll
    for (int i = 0; i < 3; ++i) to[i] = at_[row * Shape::mask_row + i - 1];
  }
  const Key* at_;
  Key rows_[3][3];
};
template <class Key, class Shape>
class pixels_around<Key, Shape, false> {
 public:
  __device__ explicit pixels_around(const Key* at) : at_(at) {}
  __device__ void load_below() {}
  __device__ void step_down() { at_ += Shape::mask_row; }
  template <step S>
  __device__ Key get() const {
    return at_[Shape::mask_offset(S)];
  }

 private:
  const Key* at_;
};

constexpr step opposite(step s) { return {-s.z, -s.y, -s.x}; }

/// 16-bit values leave room for the direction in the low bits: one maximum finds both.
template <class Key, class Shape>
__device__ ascent steepest_packed(const pixels_around<Key, Shape>& near, Key own) {
  static_assert(Shape::depth == 1 && Shape::width == 64);
  const auto with = [](Key key, uint32_t code) { return static_cast<uint32_t>(key) * 8 + code; };
  uint32_t best =
      max(max(with(near.template get<step{0, 0, -1}>(), 3), with(near.template get<step{0, 0, 1}>(), 4)),
          max(with(near.template get<step{0, -1, 0}>(), 1), with(near.template get<step{0, 1, 0}>(), 6)));
  if constexpr (Shape::reach > 1)
    best = max(
        best,
        max(max(with(near.template get<step{0, -1, -1}>(), 0), with(near.template get<step{0, -1, 1}>(), 2)),
            max(with(near.template get<step{0, 1, -1}>(), 5), with(near.template get<step{0, 1, 1}>(), 7))));
  // Steps -65, -64, -63, -1, 1, 63, 64, 65 as bytes.
  const auto step = static_cast<signed char>(__byte_perm(0xffc1c0bfu, 0x41403f01u, best & 7));
  const bool higher = best >= (own + 1u) * 8;
  return {higher, !higher && best >= own * 8u, step};
}

template <class Key, class Shape>
__device__ ascent steepest(const pixels_around<Key, Shape>& near, Key own) {
  if constexpr (sizeof(Key) <= 2 && Shape::depth == 1) return steepest_packed<Key, Shape>(near, own);
  Key best = 0;
  int found = 0;
  each<Shape::directions>([&](auto d) {
    constexpr step s = Shape::forward(d);
    constexpr int offset = Shape::offset(s);
    const Key on = near.template get<s>(), back = near.template get<opposite(s)>();
    if (on > best) best = on, found = offset;
    if (back > best) best = back, found = -offset;
  });
  return {best > own, best == own, found};
}

/// Where the pixels of a row lead to in which some are level with a neighbour and below none. `up`: of lanes
/// with a higher neighbour; `above`: lanes of the row above whose ways lead to higher pixels, and then the
/// same of this row. A run of equal pixels follows one of its own to a higher neighbour, or up into such a
/// way. Else it goes on to an equal pixel ahead, that is in a row or slice below. Both never close a circle.
template <class Key, class Shape>
__device__ uint32_t follow_run(const band<Shape>& mine, int row, const pixels_around<Key, Shape>& near,
                               Key own, const ascent& up, uint32_t& above) {
  constexpr int width = Shape::width;
  const int lane = mine.lane, p = mine.pixel(row), row_start = p - lane;
  // Inside a flat zone all lead to the row below.
  const bool below = near.template get<step{0, 1, 0}>() == own && mine.y + row + 1 < Shape::height;
  if (!above && __all_sync(all_lanes, up.level && below)) return p + width;
  const bool same_left = lane > 0 && near.template get<step{0, 0, -1}>() == own;
  const uint32_t starts = ~__ballot_sync(all_lanes, same_left);
  const int start = 31 - __clz(starts & (all_lanes >> (31 - lane)));
  const uint32_t later = starts & (0xfffffffeu << lane);
  const uint32_t run = (later ? (later & -later) - 1 : all_lanes) & (all_lanes << start);

  int rise = up.higher ? up.step : 0;
  if (!rise && above) {
    const auto leads_up = [&](Key there, int x) { return there == own && (above >> (lane + x) & 1); };
    if (leads_up(near.template get<step{0, -1, 0}>(), 0)) rise = -width;
    if constexpr (Shape::reach > 1) {
      if (lane > 0 && leads_up(near.template get<step{0, -1, -1}>(), -1)) rise = -width - 1;
      if (lane < 31 && leads_up(near.template get<step{0, -1, 1}>(), 1)) rise = -width + 1;
    }
  }
  int ahead =
      Shape::strips > 1 && lane == 31 && mine.x + 1 < width && near.template get<step{0, 0, 1}>() == own ? 1
                                                                                                         : 0;
  each<Shape::directions>([&](auto d) {
    constexpr step s = Shape::forward(d);
    if constexpr (d > 0)
      if (near.template get<s>() == own && Shape::holds(mine.z + s.z, mine.y + row + s.y, mine.x + s.x))
        ahead = Shape::offset(s);
  });
  const uint32_t rising = run & __ballot_sync(all_lanes, rise != 0);
  const uint32_t going_on = run & __ballot_sync(all_lanes, ahead != 0);
  above = __ballot_sync(all_lanes, rising != 0);
  if (rising) return rise ? p + rise : row_start + __ffs(rising) - 1;
  if (going_on) return ahead ? p + ahead : row_start + __ffs(going_on) - 1;
  return row_start + start;
}

/// Ways of the warp's band, from top to bottom. Rows without level pixels take the short way.
template <class Key, class Shape>
__device__ void find_ways() {
  using memory = tile_memory<Key, Shape>;
  const band<Shape> mine;
  pixels_around<Key, Shape> near(memory::mask() + Shape::mask_index(mine.first));
  uint32_t above = 0;
#pragma unroll 2
  for (int i = 0; i < Shape::band_rows; ++i, near.step_down()) {
    near.load_below();
    const int p = mine.pixel(i);
    const Key own = near.template get<step{0, 0, 0}>();
    const auto up = steepest<Key, Shape>(near, own);
    if (__any_sync(all_lanes, up.level)) {
      memory::way()[p] = follow_run<Key, Shape>(mine, i, near, own, up, above);
    } else {
      memory::way()[p] = up.higher ? p + up.step : p;
      above = __ballot_sync(all_lanes, up.higher);
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
  label_basins<Key, Shape>();
  __syncthreads();
}

}  // namespace macareu::cuda::contraction

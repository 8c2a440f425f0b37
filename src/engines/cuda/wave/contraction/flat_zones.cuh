// Flat zones of a tile: connected pixels of one capacity, none of which has a higher neighbour.
//
// A pixel's way is its union-find parent: a pixel of its own zone or a higher neighbour. Ways have no cycles.
// Each warp walks down its band and labels runs of equal pixels with ballots. A union is needed only where
// two labels meet. (Plain union-find over all pairs took more than half of the time of a tile.)
#pragma once

#include "engines/cuda/wave/contraction/tile_memory.cuh"

namespace macareu::cuda::contraction {

/// The root of the pixel's zone of capacity `own`; `resolved` if the zone leads to a higher pixel.
constexpr uint32_t resolved = 0xffffu;
template <class Key, class Shape>
__device__ uint32_t zone_root(uint32_t pixel, Key own) {
  using memory = tile_memory<Key, Shape>;
  while (true) {
    const uint32_t next = peek(&memory::way()[pixel]);
    if (next == pixel) return pixel;
    pixel = next;
    if (memory::capacity(pixel) > own) return resolved;
  }
}

/// Unites the zones of a and b. The later root links to the earlier one. If one zone leads upwards, the
/// other's root links into it. Only roots change, and only once, so ways have no cycles.
template <class Key, class Shape>
__device__ __noinline__ void join_zones(uint32_t a, uint32_t b, Key own) {
  while (true) {
    const uint32_t root_a = zone_root<Key, Shape>(a, own), root_b = zone_root<Key, Shape>(b, own);
    if (root_a == root_b) return;
    uint32_t root = max(root_a, root_b), to = min(root_a, root_b);
    if (root_a == resolved) root = root_b, to = a;
    if (root_b == resolved) root = root_a, to = b;
    if (atomicCAS(&tile_memory<Key, Shape>::way()[root], root, to) == root) return;
  }
}

/// The pixel above a lane's pixel in its band.
struct row_above {
  static constexpr uint32_t leads_up = 0x8000u;
  uint32_t zone = leads_up;  // leads upwards, or the label of its zone
  uint32_t level = 0;        // lanes of that row in flat zones
  __device__ static bool open(uint32_t zone) { return !(zone & leads_up); }
};

/// Processes one row of a band with flat zones in it or above it. `to`: the higher neighbour, or the pixel
/// itself; `flat`: lanes without a higher neighbour.
template <class Key, class Shape>
__device__ void follow_zones(const band<Shape>& mine, int row, const Key* at, Key own, uint32_t to,
                             uint32_t flat, row_above& above) {
  using memory = tile_memory<Key, Shape>;
  constexpr bool diagonal = Shape::reach > 1;
  constexpr int width = Shape::width, up = -Shape::mask_row;
  const int lane = mine.lane, p = mine.pixel(row), row_start = p - lane;
  const bool ascends = !(flat >> lane & 1);

  const bool same_left = lane > 0 && at[-1] == own;
  const uint32_t starts = ~__ballot_sync(all_lanes, same_left);
  const int start = 31 - __clz(starts & (all_lanes >> (31 - lane)));
  const uint32_t later = starts & (0xfffffffeu << lane);
  const uint32_t run = (later ? (later & -later) - 1 : all_lanes) & (all_lanes << start);
  const uint32_t run_ascends = run & ~flat;

  // A pixel of the same capacity above; with diagonals perhaps a second one.
  bool touches = row > 0 && at[up] == own, touches_second = false;
  uint32_t zone = above.zone, second = 0;
  int touched = p - width;
  if constexpr (diagonal) {
    const uint32_t zone_left = __shfl_up_sync(all_lanes, above.zone, 1);
    const uint32_t zone_right = __shfl_down_sync(all_lanes, above.zone, 1);
    if (row > 0 && !touches) {
      const bool left = lane > 0 && at[up - 1] == own, right = lane < 31 && at[up + 1] == own;
      touches = left || right;
      touches_second = left && right;
      second = zone_right;
      if (touches) zone = left ? zone_left : zone_right, touched = p - width + (left ? -1 : 1);
    }
  }
  const bool touches_open = touches && row_above::open(zone);
  const uint32_t run_leads_up = __ballot_sync(all_lanes, touches && !touches_open) & run;
  const uint32_t run_open = __ballot_sync(all_lanes, touches_open) & run;
  const uint32_t way_up =
      __shfl_sync(all_lanes, static_cast<uint32_t>(touched), run_leads_up ? __ffs(run_leads_up) - 1 : lane);
  uint32_t label = __shfl_sync(all_lanes, zone, run_open ? __ffs(run_open) - 1 : lane);
  if (!run_open) label = row_start + start;

  const bool known = ascends || run_ascends || run_leads_up;
  if (!ascends) to = run_ascends ? row_start + __ffs(run_ascends) - 1 : run_leads_up ? way_up : label;
  memory::way()[p] = to;

  bool join = touches_open && (known || zone != label);
  const bool join_second = touches_second && (row_above::open(second) ? known || second != label : !known);
  const uint32_t joins = __ballot_sync(all_lanes, join);
  if (__any_sync(all_lanes, join || join_second)) {
    const uint32_t zone_of_left = __shfl_up_sync(all_lanes, zone, 1);
    if (same_left && (joins >> (lane - 1) & 1) && zone_of_left == zone)
      join = false;  // the left lane makes the same union
    __syncwarp();
    const uint32_t here = known ? p : label;
    if (join) join_zones<Key, Shape>(zone, here, own);
    if (join_second) join_zones<Key, Shape>(row_above::open(second) ? second : p - width + 1, here, own);
    __syncwarp();
  }
  const uint32_t open = __ballot_sync(all_lanes, !known);
  if (lane == 0) memory::open()[p / 32] = open;
  above.zone = known ? row_above::leads_up : label;
}

/// Unites p's zone with that of its neighbour, if capacities are equal and a band left one of the two open.
template <class Key, class Shape>
__device__ void join_over(int p, step s, const Key* at, Key own) {
  const auto* open = tile_memory<Key, Shape>::open();
  const int q = p + Shape::offset(s);
  if (at[Shape::mask_offset(s)] != own) return;
  if ((open[p / 32] >> (p % 32) | open[q / 32] >> (q % 32)) & 1) join_zones<Key, Shape>(p, q, own);
}

/// Unions between two strips: with the straight left neighbour, else with the diagonal ones.
template <class Key, class Shape>
__device__ void join_strips() {
  static_assert(Shape::strips == 2 && Shape::height * Shape::depth <= Shape::threads);
  const int row = threadIdx.x, y = row % Shape::height, p = row * Shape::width + 32;
  if (row >= Shape::height * Shape::depth) return;
  constexpr int up = -Shape::mask_row;
  const Key* at = tile_memory<Key, Shape>::mask() + Shape::mask_index(p);
  const Key own = *at;
  if (at[-1] == own) {
    const bool above_does = y > 0 && at[up] == own && at[up - 1] == own;
    if (!above_does) join_over<Key, Shape>(p, {0, 0, -1}, at, own);
  } else if (Shape::reach > 1) {
    if (y > 0) join_over<Key, Shape>(p, {0, -1, -1}, at, own);
    if (y + 1 < Shape::height) join_over<Key, Shape>(p, {0, 1, -1}, at, own);
  }
}

/// Unites zones across bands, strips and slices.
template <class Key, class Shape>
__device__ void join_bands() {
  using memory = tile_memory<Key, Shape>;
  const band<Shape> mine;
  // Straight up, else diagonally: a straight neighbour of the same zone has its own unions with the diagonal
  // ones.
  const auto upwards = [&](int z, int y, int x, const Key* at, int dz, int dy) {
    const int p = Shape::offset({z, y, x});
    const Key own = *at;
    const int before = Shape::mask_offset({dz, dy, 0});
    if (at[before] == own) {
      const bool left_does = mine.lane > 0 && at[-1] == own && at[before - 1] == own;
      if (!left_does) join_over<Key, Shape>(p, {dz, dy, 0}, at, own);
    } else if (Shape::reach > 1) {
      if (x > 0) join_over<Key, Shape>(p, {dz, dy, -1}, at, own);
      if (x + 1 < Shape::width) join_over<Key, Shape>(p, {dz, dy, 1}, at, own);
    }
  };
  const Key* first = memory::mask() + Shape::mask_index(mine.first);
  if (mine.y > 0) upwards(mine.z, mine.y, mine.x, first, 0, -1);
  if constexpr (Shape::strips > 1) join_strips<Key, Shape>();
  if constexpr (Shape::depth > 1) {
    if (mine.z == 0) return;
    for (int i = 0; i < Shape::band_rows; ++i) {
      const Key* at = first + i * Shape::mask_row;
      upwards(mine.z, mine.y + i, mine.x, at, -1, 0);
      if (Shape::reach > 1 && at[-Shape::mask_slice] != *at)
        each<6>([&](auto k) {
          constexpr step s{-1, k < 3 ? -1 : 1, k % 3 - 1};
          if (2 + s.x * s.x <= Shape::reach && Shape::holds(mine.z - 1, mine.y + i + s.y, mine.x + s.x))
            join_over<Key, Shape>(mine.pixel(i), s, at, *at);
        });
    }
  }
}

}  // namespace macareu::cuda::contraction

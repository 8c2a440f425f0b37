// A tile of a 2-D image in shared memory, owned by one warp: passes along its lines, and its borders.
#pragma once

#include "engines/cuda/wave/tiles/lane_keys.cuh"
#include "engines/cuda/wave/tiles/scheduler.cuh"

namespace macareu::cuda::tiles {

enum class axis { x, y };

template <class Key>
struct alignas(16) image_tile {
  using keys = lane_keys<Key>;
  typename keys::cell state[32 * keys::pitch];
  typename keys::cell capacity[32 * keys::pitch];
  // With diagonal neighbours only: the keys left and right of every row, from the row above the tile to the
  // row below it, in both halves.
  typename keys::word left[keys::side + 2], right[keys::side + 2];
};

/// A lane's share of the four lines around a tile, or of its own outermost lines.
template <class Key>
struct rim_lines {
  typename lane_keys<Key>::word top, bottom, left, right;
};

/// Tells whether the states changed. Keys only rise, so for narrow keys their sum does it.
template <class Key>
struct change_sensor {
  unsigned sum = 0;
};

template <axis Along, class Key>
__device__ __forceinline__ int place_in_line(int lane, int k) {
  constexpr int pitch = lane_keys<Key>::pitch;
  return Along == axis::x ? lane * pitch + k : k * pitch + lane;
}

template <axis Along, class Key>
__device__ __forceinline__ void read_line(const typename lane_keys<Key>::cell* cells, int lane,
                                          typename lane_keys<Key>::word (&line)[lane_keys<Key>::side]) {
  using keys = lane_keys<Key>;
  if constexpr (Along == axis::x && sizeof(Key) == 1) {
    const auto* quads = reinterpret_cast<const uint4*>(cells + lane * keys::pitch);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const uint4 four = quads[k];
      keys::along_x(four.x, line + 8 * k);
      keys::along_x(four.y, line + 8 * k + 2);
      keys::along_x(four.z, line + 8 * k + 4);
      keys::along_x(four.w, line + 8 * k + 6);
    }
  } else {
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const auto cell = cells[place_in_line<Along, Key>(lane, k)];
      if constexpr (Along == axis::x)
        keys::along_x(cell, line + k * keys::per_cell);
      else
        keys::along_y(cell, line + k * keys::per_cell);
    }
  }
}

/// For a line across the lanes: the higher of the keys on both sides of each. `end` is what lies before the
/// first lane, and in the last lane what lies behind it.
template <class Key>
__device__ __forceinline__ typename lane_keys<Key>::word beside(typename lane_keys<Key>::word line,
                                                                typename lane_keys<Key>::word end,
                                                                int lane) {
  using keys = lane_keys<Key>;
  auto before = __shfl_up_sync(all_lanes, line, 1), after = __shfl_down_sync(all_lanes, line, 1);
  if (lane == 0) before = end;
  if (lane == 31) after = end;
  return keys::higher(keys::left_of(line, before), keys::right_of(line, after));
}

/// Every pixel takes the offers of its diagonal neighbours once. Not in the chain of a pass, where each row
/// would wait for shuffles of the one before: thin diagonal paths take more passes, all else is faster.
template <class Key, class Take>
__device__ __forceinline__ void take_diagonals(const image_tile<Key>& tile, int lane,
                                               typename lane_keys<Key>::word before,
                                               typename lane_keys<Key>::word after,
                                               typename lane_keys<Key>::word (&state)[lane_keys<Key>::side],
                                               Take take) {
  using keys = lane_keys<Key>;
  using word = typename keys::word;
  const word* ends = lane < 16 ? tile.left : tile.right;
  word above = beside<Key>(before, ends[0], lane);
  word here = beside<Key>(state[0], ends[1], lane);
#pragma unroll
  for (int i = 0; i < keys::side; ++i) {
    const word next = i + 1 < keys::side ? state[(i + 1) % keys::side] : after;
    const word below = beside<Key>(next, ends[i + 2], lane);
    take(i, keys::higher(above, below));
    above = here;
    here = below;
  }
}

/// All lines along an axis to their fixed point, both ways at once: two chains that cross in the middle.
/// `before` and `after` lie at the ends of the lines. Also clips states to capacities.
template <axis Along, bool Diagonals, class Key>
__device__ __forceinline__ bool pass(image_tile<Key>& tile, int lane, typename lane_keys<Key>::word before,
                                     typename lane_keys<Key>::word after, change_sensor<Key>& sensor) {
  using keys = lane_keys<Key>;
  using word = typename keys::word;
  constexpr int side = keys::side, half = side / 2, per_cell = keys::per_cell;
  word state[side], capacity[side], touched = 0;
  read_line<Along, Key>(tile.state, lane, state);
  read_line<Along, Key>(tile.capacity, lane, capacity);
  const auto take = [&](int i, word offer) {
    const word old = state[i];
    state[i] = keys::lower(keys::higher(old, offer), capacity[i]);
    if constexpr (!keys::sums) touched |= old ^ state[i];
  };
  if constexpr (Diagonals && Along == axis::y) take_diagonals(tile, lane, before, after, state, take);

  word forth = before, back = after;
#pragma unroll
  for (int i = 0; i < half; ++i) {
    take(i, forth), forth = state[i];
    take(side - 1 - i, back), back = state[side - 1 - i];
  }
  unsigned total = 0;
  const auto write = [&](int k) {
    const auto cell = Along == axis::x ? keys::from_x(state + k * per_cell) : keys::from_y(state + k * per_cell);
    if constexpr (keys::sums) total = keys::sum(cell, total);
    tile.state[place_in_line<Along, Key>(lane, k)] = cell;
  };
#pragma unroll
  for (int k = 16; k < 32; ++k) {
#pragma unroll
    for (int i = 0; i < per_cell; ++i) {
      const int ahead = k * per_cell + i;
      take(ahead, forth), forth = state[ahead];
      take(side - 1 - ahead, back), back = state[side - 1 - ahead];
    }
    write(k);
    write(31 - k);
  }
  __syncwarp();
  if constexpr (keys::sums) {
    total = __reduce_add_sync(all_lanes, total);
    const bool changed = total != sensor.sum;
    sensor.sum = total;
    return changed;
  } else {
    return __any_sync(all_lanes, touched != 0);
  }
}

template <class Key>
__device__ __forceinline__ rim_lines<Key> outermost_lines(const typename lane_keys<Key>::cell* cells, int lane) {
  using keys = lane_keys<Key>;
  typename keys::word first[keys::per_cell], last[keys::per_cell];
  rim_lines<Key> lines;
  keys::along_y(cells[lane], first);
  keys::along_y(cells[31 * keys::pitch + lane], last);
  lines.top = keys::clean(first[0]);
  lines.bottom = keys::clean(last[keys::per_cell - 1]);
  keys::along_x(cells[lane * keys::pitch], first);
  keys::along_x(cells[lane * keys::pitch + 31], last);
  lines.left = keys::clean(first[0]);
  lines.right = keys::clean(last[keys::per_cell - 1]);
  return lines;
}

/// A key raises a pixel if it is above its threshold: its state, or no key at all if it is at its capacity.
template <class Key>
__device__ __forceinline__ rim_lines<Key> thresholds(const rim_lines<Key>& state, const rim_lines<Key>& capacity) {
  using keys = lane_keys<Key>;
  const auto one = [](auto s, auto c) { return s | keys::not_below(s, c); };
  return {one(state.top, capacity.top), one(state.bottom, capacity.bottom), one(state.left, capacity.left),
          one(state.right, capacity.right)};
}

}  // namespace macareu::cuda::tiles

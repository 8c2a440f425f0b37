// A tile of a 2-D image in shared memory, owned by one warp: passes along its lines, and its borders.
#pragma once

#include "engines/cuda/wave/tiles/lane_keys.cuh"
#include "engines/cuda/wave/tiles/scheduler.cuh"

namespace macareu::cuda::tiles {

enum class axis { x, y };

/// Around the states lies a rim of cells for the keys of the neighbours, used with diagonal neighbours only:
/// rows and columns -1 and 32.
template <class Key>
struct alignas(16) image_tile {
  using keys = lane_keys<Key>;
  static constexpr int origin = keys::pitch + 16 / static_cast<int>(sizeof(typename keys::cell));  // aligned
  typename keys::cell with_rim[origin + 33 * keys::pitch];
  typename keys::cell capacity[32 * keys::pitch];

  __device__ typename keys::cell* state() { return with_rim + origin; }
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

/// Reads columns, and gives every pixel the offers of its diagonal neighbours once, through take(i, offer). Not
/// in the chain of a pass, where each row would wait for the one before: thin diagonal paths take more passes,
/// all else is faster.
template <class Key, class Take>
__device__ __forceinline__ void read_with_diagonals(const typename lane_keys<Key>::cell* cells, int lane,
                                                    typename lane_keys<Key>::word (&state)[lane_keys<Key>::side],
                                                    Take take) {
  using keys = lane_keys<Key>;
  using word = typename keys::word;
  constexpr int n = keys::per_cell;
  word above[n], here[n], below[n];
  const auto* row = cells + lane;
  const auto look = [&](int k, word* beside) {
    const auto* at = row + k * keys::pitch;
    const auto centre = at[0];
    keys::across(at[-1], centre, at[1], beside);
    if (k >= 0 && k < 32) keys::along_y(centre, state + k * n);
  };
  look(-1, above);
  look(0, here);
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    look(k + 1, below);
    if constexpr (n == 2) {
      take(2 * k, keys::higher(above[1], here[1]));
      take(2 * k + 1, keys::higher(here[0], below[0]));
    } else {
      take(k, keys::higher(above[0], below[0]));
    }
#pragma unroll
    for (int i = 0; i < n; ++i) above[i] = here[i], here[i] = below[i];
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
  constexpr bool in_quads = Along == axis::x && sizeof(Key) == 1;  // single words of a row would share banks
  word state[side], capacity[side], touched = 0;
  auto* const cells = tile.state();
  read_line<Along, Key>(tile.capacity, lane, capacity);
  const auto take = [&](int i, word offer) {
    const word old = state[i];
    state[i] = keys::lower(keys::higher(old, offer), capacity[i]);
    if constexpr (!keys::sums) touched |= old ^ state[i];
  };
  if constexpr (!Diagonals || Along == axis::x)
    read_line<Along, Key>(cells, lane, state);
  else if constexpr (keys::sums)  // the chains clip
    read_with_diagonals<Key>(cells, lane, state, [&](int i, word offer) { state[i] = keys::higher(state[i], offer); });
  else
    read_with_diagonals<Key>(cells, lane, state, take);

  word forth = before, back = after;
#pragma unroll
  for (int i = 0; i < half; ++i) {
    take(i, forth), forth = state[i];
    take(side - 1 - i, back), back = state[side - 1 - i];
  }
  unsigned total = 0;
  typename keys::cell packed[32];
  const auto pack = [&](int k) {
    packed[k] = Along == axis::x ? keys::from_x(state + k * per_cell) : keys::from_y(state + k * per_cell);
    if constexpr (keys::sums) total = keys::sum(packed[k], total);
    if constexpr (!in_quads) cells[place_in_line<Along, Key>(lane, k)] = packed[k];
  };
  const auto write_quad = [&](int q) {
    if constexpr (in_quads)
      reinterpret_cast<uint4*>(cells + lane * keys::pitch)[q] = {packed[4 * q], packed[4 * q + 1], packed[4 * q + 2],
                                                                 packed[4 * q + 3]};
  };
#pragma unroll
  for (int k = 16; k < 32; ++k) {
#pragma unroll
    for (int i = 0; i < per_cell; ++i) {
      const int ahead = k * per_cell + i;
      take(ahead, forth), forth = state[ahead];
      take(side - 1 - ahead, back), back = state[side - 1 - ahead];
    }
    pack(k);
    pack(31 - k);
    if (k % 4 == 3) write_quad(k / 4), write_quad((31 - k) / 4);
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

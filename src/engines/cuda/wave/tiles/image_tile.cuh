// A tile of a 2-D image in shared memory, owned by one warp: passes along its lines, and its borders.
#pragma once

#include "engines/cuda/wave/tiles/lane_keys.cuh"
#include "engines/cuda/wave/tiles/scheduler.cuh"

namespace macareu::cuda::tiles {

enum class axis { x, y };

__device__ inline axis other(axis a) { return a == axis::x ? axis::y : axis::x; }

/// 8-bit capacities are stored for both axes where the tile is transposed. Wider ones are as fast to read
/// across.
template <class Key, bool Diagonals>
struct alignas(16) image_tile {
  using keys = lane_keys<Key>;
  using cell = typename keys::cell;
  static constexpr int size = 32 * keys::pitch;
  static constexpr bool twice = sizeof(Key) == 1 && !Diagonals;
  static constexpr bool turns = sizeof(Key) > 1 || !Diagonals;  // else diagonal_passes.cuh
  static constexpr auto pairs = turns ? row_pairs::adjacent : row_pairs::folded;
  cell states[size];
  cell capacities[twice ? 2 : 1][size];
  cell besides[Diagonals && turns ? size : 1];

  __device__ cell* state() { return states; }
  __device__ cell* capacity() { return capacities[0]; }
  __device__ cell* turned_capacity() { return capacities[twice ? 1 : 0]; }
  __device__ cell* beside() { return besides; }
};

/// A lane's share of the four lines around a tile, or of its own outermost lines.
template <class Key>
struct rim_lines {
  typename lane_keys<Key>::word top, bottom, left, right;
};

/// Detects changes of the states. Keys only rise, so for narrow keys their sum suffices.
template <class Key>
struct change_sensor {
  unsigned sum = 0;
};

/// Four cells of a line at once: reading single words of lines would cause bank conflicts.
template <class Key>
__device__ __forceinline__ void read_four(const typename lane_keys<Key>::cell* line, int quad,
                                          typename lane_keys<Key>::cell (&to)[4]) {
  if constexpr (sizeof(Key) == 1) {
    const uint4 four = reinterpret_cast<const uint4*>(line)[quad];
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = line[4 * quad + i];
  }
}

template <class Key>
__device__ __forceinline__ void read_line(const typename lane_keys<Key>::cell* cells, int lane,
                                          typename lane_keys<Key>::word (&line)[lane_keys<Key>::side]) {
  using keys = lane_keys<Key>;
#pragma unroll
  for (int quad = 0; quad < 8; ++quad) {
    typename keys::cell four[4];
    read_four<Key>(cells + lane * keys::pitch, quad, four);
#pragma unroll
    for (int i = 0; i < 4; ++i) keys::unpack(four[i], line + (4 * quad + i) * keys::per_cell);
  }
}

template <class Key, bool Diagonals>
__device__ __forceinline__ void read_capacity(image_tile<Key, Diagonals>& tile, axis along, int lane,
                                              typename lane_keys<Key>::word (&line)[lane_keys<Key>::side]) {
  using keys = lane_keys<Key>;
  if (along == axis::x || tile.twice) {
    read_line<Key>(along == axis::x ? tile.capacity() : tile.turned_capacity(), lane, line);
  } else {
#pragma unroll
    for (int k = 0; k < 32; ++k)
      keys::unpack_turned(tile.capacity()[k * keys::pitch + lane], line + k * keys::per_cell);
  }
}

/// Transposes the tile: lines along the other axis. `to` may be `from`.
template <class Key>
__device__ __forceinline__ void turn(const typename lane_keys<Key>::cell* from,
                                     typename lane_keys<Key>::cell* to, int lane) {
  using keys = lane_keys<Key>;
  typename keys::word line[keys::side];
  read_line<Key>(from, lane, line);
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 32; ++k) to[k * keys::pitch + lane] = keys::pack_turned(line + k * keys::per_cell);
  __syncwarp();
}

/// For a line across the lanes: the higher of the two keys beside each. `end`: the key before the first lane,
/// and in the last lane the key after it.
template <class Key>
__device__ __forceinline__ typename lane_keys<Key>::word beside(typename lane_keys<Key>::word line,
                                                                typename lane_keys<Key>::word end, int lane) {
  using keys = lane_keys<Key>;
  auto before = __shfl_up_sync(all_lanes, line, 1), after = __shfl_down_sync(all_lanes, line, 1);
  if (lane == 0) before = end;
  if (lane == 31) after = end;
  return keys::higher(keys::left_of(line, before), keys::right_of(line, after));
}

/// Applies diagonal offers: take(i, offer) for every pixel of a lane's lines. The offer is the higher of the
/// stored side keys of the pixels before and after it. `before` and `after` are the side keys beyond the
/// lines' ends.
template <class Key, class Take>
__device__ __forceinline__ void take_besides(const typename lane_keys<Key>::cell* cells, int lane,
                                             typename lane_keys<Key>::word before,
                                             typename lane_keys<Key>::word after, Take take) {
  using keys = lane_keys<Key>;
  using word = typename keys::word;
  word last_but_one = 0, last = before;
#pragma unroll
  for (int quad = 0; quad < 8; ++quad) {
    typename keys::cell four[4];
    read_four<Key>(cells + lane * keys::pitch, quad, four);
#pragma unroll
    for (int i = 0; i < 4 * keys::per_cell; ++i) {
      word both[keys::per_cell];
      keys::unpack(four[i / keys::per_cell], both);
      const word here = both[i % keys::per_cell];
      const int place = 4 * keys::per_cell * quad + i;
      if (place > 0) take(place - 1, keys::higher(last_but_one, here));
      last_but_one = last, last = here;
    }
  }
  take(keys::side - 1, keys::higher(last_but_one, after));
}

/// Rim keys beyond the two ends of a lane's lines. Along columns also the higher of the keys beside them.
template <class Key>
struct line_ends {
  typename lane_keys<Key>::word before, after, beside_before = 0, beside_after = 0;
};

/// Settles all lines along an axis, with two opposite scans that cross in the middle. Also clips states to
/// capacities. Leaves the tile transposed.
///
/// Diagonals: a row pass stores the higher of the two side neighbours of every pixel. The next column pass
/// takes those of the pixels before and after. They are outside the scans to keep the dependency chain short:
/// thin diagonal paths take more passes, all else is faster. Both axes share one body, which fits the
/// instruction cache.
template <class Key, bool Diagonals>
__device__ __forceinline__ bool pass(image_tile<Key, Diagonals>& tile, axis along, int lane,
                                     const line_ends<Key>& ends, change_sensor<Key>& sensor) {
  using keys = lane_keys<Key>;
  using word = typename keys::word;
  constexpr int side = keys::side, half = side / 2, n = keys::per_cell;
  word state[side], capacity[side], touched = 0;
  auto* const cells = tile.state();
  read_capacity(tile, along, lane, capacity);
  read_line<Key>(cells, lane, state);
  const auto take = [&](int i, word offer) {
    const word old = state[i];
    state[i] = keys::lower(keys::higher(old, offer), capacity[i]);
    if constexpr (!keys::sums) touched |= old ^ state[i];
  };
  if (Diagonals && along == axis::y)
    take_besides<Key>(tile.beside(), lane, ends.beside_before, ends.beside_after, [&](int i, word offer) {
      if constexpr (keys::sums)
        state[i] = keys::higher(state[i], offer);  // the scans clip
      else
        take(i, offer);
    });

  word forth = ends.before, back = ends.after;
#pragma unroll
  for (int i = 0; i < half; ++i) {
    take(i, forth), forth = state[i];
    take(side - 1 - i, back), back = state[side - 1 - i];
  }
  __syncwarp();  // all have read
  unsigned total = 0;
  const auto write = [&](int k) {
    const auto cell = keys::pack_turned(state + k * n);
    if constexpr (keys::sums) total = keys::sum(cell, total);
    cells[k * keys::pitch + lane] = cell;
  };
#pragma unroll
  for (int k = 16; k < 32; ++k) {
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const int ahead = k * n + i;
      take(ahead, forth), forth = state[ahead];
      take(side - 1 - ahead, back), back = state[side - 1 - ahead];
    }
    write(k);
    write(31 - k);
  }
  if (Diagonals && along == axis::x) {
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      word both[n];
#pragma unroll
      for (int i = 0; i < n; ++i) {
        const int at = k * n + i;
        both[i] =
            keys::higher(at > 0 ? state[at - 1] : ends.before, at + 1 < side ? state[at + 1] : ends.after);
      }
      tile.beside()[k * keys::pitch + lane] = keys::pack_turned(both);
    }
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

template <class Key, row_pairs Pairs>
__device__ __forceinline__ rim_lines<Key> outermost_lines(const typename lane_keys<Key>::cell* cells,
                                                          axis along, int lane) {
  using keys = lane_keys<Key>;
  constexpr int last = keys::per_cell - 1;
  typename keys::word first_line[keys::per_cell], last_line[keys::per_cell];
  typename keys::word first_place[keys::per_cell], last_place[keys::per_cell];
  keys::unpack_turned(cells[lane], first_line);
  keys::unpack_turned(cells[(Pairs == row_pairs::folded ? 0 : 31) * keys::pitch + lane], last_line);
  keys::unpack(cells[lane * keys::pitch], first_place);
  keys::unpack(cells[lane * keys::pitch + 31], last_place);
  const auto a = keys::clean(first_line[0]), b = keys::clean(last_line[last]);
  const auto c = keys::clean(first_place[0]), d = keys::clean(last_place[last]);
  return along == axis::x ? rim_lines<Key>{a, b, c, d} : rim_lines<Key>{c, d, a, b};
}

/// A key above the threshold raises a pixel. The threshold is the state, or the highest key if the state is
/// at its capacity.
template <class Key>
__device__ __forceinline__ rim_lines<Key> thresholds(const rim_lines<Key>& state,
                                                     const rim_lines<Key>& capacity) {
  using keys = lane_keys<Key>;
  const auto one = [](auto s, auto c) { return s | keys::not_below(s, c); };
  return {one(state.top, capacity.top), one(state.bottom, capacity.bottom), one(state.left, capacity.left),
          one(state.right, capacity.right)};
}

}  // namespace macareu::cuda::tiles

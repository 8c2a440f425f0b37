// Passes over a tile of 8-bit keys with eight neighbours. The tile is not transposed: lines run along x.
//
// A pass along rows takes from the rim at their ends, diagonals included. A pass along columns propagates
// from row to row: each pixel takes from three pixels of the previous row. The tile is folded in the middle.
// A lane's words pair the downward scan in one half with the upward scan in the other; the two cross in the
// middle. A column pass takes longer than a row pass, and saves nearly half of all passes.
#pragma once

#include "engines/cuda/wave/tiles/image_tile.cuh"

namespace macareu::cuda::tiles {

using byte_keys = lane_keys<std::uint8_t>;
using diagonal_tile = image_tile<std::uint8_t, true>;

/// The effect of a pass on the tile.
struct pass_effect {
  bool rose;
  bool again;  // another pass along the same axis could raise more
};

__device__ __forceinline__ bool sum_changed(unsigned lane_sum, change_sensor<std::uint8_t>& sensor) {
  const unsigned sum = __reduce_add_sync(all_lanes, lane_sum);
  const bool changed = sum != sensor.sum;
  sensor.sum = sum;
  return changed;
}

/// Settles all rows in both directions at once, as in `pass`. Also clips states to capacities.
__device__ __forceinline__ pass_effect pass_rows(diagonal_tile& tile, int lane, std::uint32_t before,
                                                 std::uint32_t after, change_sensor<std::uint8_t>& sensor) {
  using keys = byte_keys;
  constexpr int side = keys::side, half = side / 2;
  std::uint32_t state[side], capacity[side];
  read_line<std::uint8_t>(tile.capacity(), lane, capacity);
  read_line<std::uint8_t>(tile.state(), lane, state);
  const auto both_ways = [&](int i) {
    const int j = side - 1 - i;
    before = state[i] = keys::lower(keys::higher(state[i], before), capacity[i]);
    after = state[j] = keys::lower(keys::higher(state[j], after), capacity[j]);
  };
#pragma unroll
  for (int i = 0; i < half; ++i) both_ways(i);
  __syncwarp();  // all have read
  auto* const quads = reinterpret_cast<uint4*>(tile.state() + lane * keys::pitch);
  unsigned total = 0;
  const auto write = [&](int quad) {
    const auto cell = [&](int i) {
      const auto packed = keys::pack(state + 8 * quad + 2 * i);
      total = keys::sum(packed, total);
      return packed;
    };
    quads[quad] = {cell(0), cell(1), cell(2), cell(3)};
  };
#pragma unroll
  for (int quad = 4; quad < 8; ++quad) {
#pragma unroll
    for (int i = 0; i < 8; ++i) both_ways(8 * quad + i);
    write(quad);
    write(7 - quad);
  }
  const bool rose = sum_changed(total, sensor);
  __syncwarp();
  return {rose, false};
}

/// For a folded rim column: the highest of its keys adjacent to each pixel that faces it. `ends`: the corners
/// before and after it.
__device__ __forceinline__ std::uint32_t reaching_folded(std::uint32_t line, int lane, std::uint32_t ends) {
  using keys = byte_keys;
  auto outer = __shfl_up_sync(all_lanes, line, 1), inner = __shfl_down_sync(all_lanes, line, 1);
  if (lane == 0) outer = ends;
  if (lane == 31) inner = __byte_perm(line, 0, 0x1032);  // the two rows in the middle touch
  return keys::higher(line, keys::higher(outer, inner));
}

/// Scans down and up. A rise beyond the middle may propagate back: then another column pass could raise more.
/// `top` and `bottom` are the rim rows, across all lanes. Corners of the rim are left to the pass along rows.
__device__ __forceinline__ pass_effect pass_columns(diagonal_tile& tile, int lane, std::uint32_t top,
                                                    std::uint32_t bottom,
                                                    change_sensor<std::uint8_t>& sensor) {
  using keys = byte_keys;
  constexpr int lines = keys::side / 2;
  // The previous rows of both halves, two columns per lane.
  std::uint32_t row[2] = {__byte_perm(top, bottom, 0x5410), __byte_perm(top, bottom, 0x7632)};
  auto* const cells = tile.state() + lane;
  const auto* const capacities = tile.capacity() + lane;
  std::uint32_t state[lines][2], capacity[lines];
#pragma unroll
  for (int i = 0; i < lines; ++i) {
    capacity[i] = capacities[i * keys::pitch];
    keys::unpack(cells[i * keys::pitch], state[i]);
  }
  const auto step = [&](int i) {
    const auto before = __shfl_up_sync(all_lanes, row[1], 1), after = __shfl_down_sync(all_lanes, row[0], 1);
    std::uint32_t room[2];
    keys::unpack(capacity[i], room);
    const auto both = keys::higher(row[0], row[1]);
    row[0] = keys::lower(keys::higher(keys::higher(both, state[i][0]), before), room[0]);
    row[1] = keys::lower(keys::higher(keys::higher(both, state[i][1]), after), room[1]);
  };
#pragma unroll
  for (int i = 0; i < lines; ++i) {
    step(i);
    state[i][0] = row[0], state[i][1] = row[1];
  }
  // Back over the same lines with swapped halves: the downward scan continues in the second half.
  row[0] = __byte_perm(row[0], 0, 0x1032), row[1] = __byte_perm(row[1], 0, 0x1032);
  std::uint32_t differs = 0;
  unsigned total = 0;
#pragma unroll
  for (int i = lines - 1; i >= 0; --i) {
    step(i);
    differs |= row[0] ^ state[i][0];
    differs |= row[1] ^ state[i][1];
    const auto packed = keys::pack(row);
    cells[i * keys::pitch] = packed;
    total = keys::sum(packed, total);
  }
  const bool again = __any_sync(all_lanes, keys::clean(differs) != 0);
  const bool rose = sum_changed(total, sensor);
  __syncwarp();
  return {rose, again};
}

}  // namespace macareu::cuda::tiles

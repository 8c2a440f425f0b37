// Passes over a tile of 8-bit keys whose pixels have eight neighbours. The tile stays as it was loaded, with
// lines along x.
//
// A pass along rows takes what lies beyond their ends, diagonals too. A pass down and up the columns lets
// every row offer to the three pixels of the next row that touch a pixel: half of the lanes go down, four
// columns each, the other half up; they cross in the middle. It takes four times as long as a pass along
// rows, and saves nearly half of all passes.
#pragma once

#include "engines/cuda/wave/tiles/image_tile.cuh"

namespace macareu::cuda::tiles {

using byte_keys = lane_keys<std::uint8_t>;
using diagonal_tile = image_tile<std::uint8_t, true>;

/// What a pass did to the tile.
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

/// All rows to their fixed point, both ways at once, as in `pass`. Also clips states to capacities.
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

/// Down and up. What rises beyond the middle may turn back: then another such pass could raise more. `top`
/// and `bottom` are the lines beyond the tile, across all lanes; what touches it only at a corner is left to
/// the pass along rows.
__device__ __forceinline__ pass_effect pass_columns(diagonal_tile& tile, int lane, std::uint32_t top,
                                                    std::uint32_t bottom,
                                                    change_sensor<std::uint8_t>& sensor) {
  using keys = byte_keys;
  const bool up = lane >= 16;
  const int column = lane % 16;
  const auto entering = [&](int from) {
    const auto t = __shfl_sync(all_lanes, top, from), b = __shfl_sync(all_lanes, bottom, from);
    return up ? b : t;
  };
  const auto left_two = entering(2 * column), right_two = entering(2 * column + 1);
  // The row before: columns 0 and 2 of the lane's four, and 1 and 3.
  auto even = __byte_perm(left_two, right_two, 0x5410), odd = __byte_perm(left_two, right_two, 0x7632);
  // Which bytes of two cells are those of the first and of the second row on the way, and back.
  const unsigned even_of[2] = {up ? 0x6622u : 0x4400u, up ? 0x4400u : 0x6622u};
  const unsigned odd_of[2] = {up ? 0x7733u : 0x5511u, up ? 0x5511u : 0x7733u};
  const unsigned left_cell = up ? 0x1054u : 0x5410u, right_cell = up ? 0x3276u : 0x7632u;
  // The outermost columns have no neighbour lane: their own is taken twice.
  const unsigned from_left = column == 0 ? 0x5454u : 0x5432u, from_right = column == 15 ? 0x3232u : 0x5432u;

  const int step = (up ? -keys::pitch : keys::pitch) / 2;
  const int begin = (up ? 31 * keys::pitch : 0) + 2 * column;
  auto* cells = reinterpret_cast<uint2*>(tile.state() + begin);
  const auto* capacities = reinterpret_cast<const uint2*>(tile.capacity() + begin);
  unsigned total = 0, at_middle = 0;
#pragma unroll 1
  for (int part = 0; part < 2; ++part) {
    __syncwarp();  // beyond the middle lies what the others left
    at_middle = total, total = 0;
    uint2 here = *cells, most = *capacities, next_here = here, next_most = most;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (i < 15) next_here = cells[step], next_most = capacities[step];
      unsigned row[2];
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const auto before = __shfl_up_sync(all_lanes, odd, 1, 16),
                   after = __shfl_down_sync(all_lanes, even, 1, 16);
        const auto both = keys::higher(even, odd), left = __byte_perm(before, odd, from_left),
                   right = __byte_perm(even, after, from_right);
        const auto take = [&](unsigned offer, unsigned which) {
          return keys::lower(keys::higher(keys::higher(both, __byte_perm(here.x, here.y, which)), offer),
                             __byte_perm(most.x, most.y, which));
        };
        even = take(left, even_of[r]), odd = take(right, odd_of[r]);
        row[r] = __byte_perm(even, odd, 0x7351);
      }
      const uint2 result{__byte_perm(row[0], row[1], left_cell), __byte_perm(row[0], row[1], right_cell)};
      *cells = result;
      total = keys::sum(result.x, keys::sum(result.y, total));
      cells += step, capacities += step;
      here = next_here, most = next_most;
    }
  }
  at_middle = __reduce_add_sync(all_lanes, at_middle);
  const bool rose = sum_changed(total, sensor);
  __syncwarp();
  return {rose, sensor.sum != at_middle};
}

}  // namespace macareu::cuda::tiles

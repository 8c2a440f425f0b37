// Strategy diagonal (Cunha, UFMG 2025): skewed tiles, so that one pass moves right and down at once.
//
// A lane holds a row of the tile. All lanes step to the next column of the skewed tile together, so a step is
// an anti-diagonal of the image. All predecessors of a raster scan lie in earlier columns:
//
//   skew 1, 4 neighbours:  left (y, x-1) and up (y-1, x) lie one skewed column back
//   skew 2, 8 neighbours:  left 1 back; up-right 1, up 2 and up-left 3 back
//
// Two passes, raster and anti-raster, cover every offer, where sweeps along lines need four.
//
// The left state is in the lane's register. Upper states come by shuffle from the lane above, which passed
// them 1 to 3 steps ago. No lane reads what another wrote, so a pass needs no synchronisation. The remaining
// reads are columns of the skewed tile, free of bank conflicts by the pitch of tile_shape.cuh. Rows of the
// image do not wrap around: the first column of tiles begins left of the image.
#pragma once

#include <macareu/error.hpp>

#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/tile_wave.cuh"

namespace macareu::cuda {

template <class State>
__device__ State from_lane(State value, int lane) {
  using bits = key_of<State>;
  if constexpr (sizeof(State) == 8)
    return std::bit_cast<State>(
        static_cast<bits>(__shfl_sync(whole_warp, std::bit_cast<unsigned long long>(value), lane)));
  else
    return std::bit_cast<State>(
        static_cast<bits>(__shfl_sync(whole_warp, static_cast<unsigned>(std::bit_cast<bits>(value)), lane)));
}

/// Skew 1: 4 neighbours. Skew 2: 8.
template <int Skew>
struct sweep_tile_by_diagonals {
  static constexpr int side = 32;
  using shape = tile_shape<1, side, side, 0, 2 * Skew - 1, Skew>;

  template <class Tile>
  __device__ static settled settle(const Tile& tile) {
    const bool whole = tile.where.whole();
    settled result{false, 0};
    int sign = 1;
    for (int quiet = 0; quiet < 2; sign = -sign) {
      const bool moved = __any_sync(
          whole_warp, whole ? pass<true, Tile>(tile, sign).run() : pass<false, Tile>(tile, sign).run());
      result.changed |= moved;
      ++result.passes;
      quiet = moved ? 1 : quiet + 1;
    }
    __syncwarp();
    return result;
  }

 private:
  static constexpr int batch = tuning::line_pixels_at_once;

  template <bool Whole, class Tile>
  struct pass {
    using state_type = typename Tile::state_type;
    using input_type = typename Tile::input_type;

    const Tile& tile;
    int sign, row, column;
    bool row_inside, upper_row_inside;
    state_type left;                 // 1 column back in this row
    state_type upper[2 * Skew - 1];  // 1, 2, 3 columns back in the row above (below, in an anti-raster pass)

    __device__ pass(const Tile& t, int direction)
        : tile(t), sign(direction), row(static_cast<int>(threadIdx.x)), column(direction > 0 ? 0 : side - 1) {
      row_inside = tile.where.row_inside(0, row);
      upper_row_inside = tile.where.row_inside(0, row - sign);
      left = tile.state({0, row, column - sign});
      for (int k = 0; k + 1 < 2 * Skew - 1; ++k)
        upper[k] = tile.state({0, row - sign, column - (k + 2) * sign});
    }

    __device__ bool run() {
      bool moved = false;
      for (int i = 0; i < side; i += batch) moved |= advance();
      return moved;
    }

   private:
    /// Reads all, then writes all, as in megapixel.cuh.
    __device__ bool advance() {
      const int begin = column, rim_row = sign > 0 ? -1 : side;
      state_type held[batch], beyond[batch];
      input_type input[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        held[k] = tile.state({0, row, column + k * sign});
        input[k] = tile.input({0, row, column + k * sign});
        beyond[k] = tile.state({0, rim_row, column + (k - 1) * sign});
      }
      bool moved = false;
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        step_upper(beyond[k]);
        moved |= take_all(held[k], input[k]);
        left = held[k];
        column += sign;
      }
      if (!moved) return false;
#pragma unroll
      for (int k = 0; k < batch; ++k) tile.state({0, row, begin + k * sign}) = held[k];
      return true;
    }

    /// The first row has the rim above it.
    __device__ void step_upper(state_type beyond) {
#pragma unroll
      for (int k = 2 * Skew - 2; k > 0; --k) upper[k] = upper[k - 1];
      const state_type above = from_lane(left, row - sign);
      upper[0] = row == (sign > 0 ? 0 : side - 1) ? beyond : above;
    }

    /// Takes the newest upper state last, to hide the latency of its shuffle.
    __device__ bool take_all(state_type& held, const input_type& input) const {
      const int x = column - Skew * row;
      if (!(Whole || (row_inside && tile.where.column_inside(x)))) return false;
      const cell q{0, row, column};
      bool moved = false;
#pragma unroll
      for (int k = 2 * Skew - 2; k > 0; --k) moved |= take_upper(k, held, q, input);
      if (Whole || tile.where.column_inside(x - sign)) moved |= take_one(held, left, q, 0, -sign, input);
      return take_upper(0, held, q, input) || moved;
    }

    __device__ bool take_upper(int k, state_type& held, cell q, const input_type& input) const {
      const int dx = (Skew - 1 - k) * sign;
      if (!(Whole || (upper_row_inside && tile.where.column_inside(q.x - Skew * row + dx)))) return false;
      return take_one(held, upper[k], q, -sign, dx, input);
    }

    __device__ bool take_one(state_type& held, state_type given, cell q, int dy, int dx,
                             const input_type& input) const {
      return take(tile.rule, held, given, tile.where.place(shape::neighbour(q, 0, dy, dx)),
                  tile.where.place(q), input);
    }
  };
};

inline void refuse_volumes(const neighbourhood& near) {
  if (near.rank != 2) throw usage_error("strategy diagonal supports 2-D images only; use megapixel");
}

/// The state already holds the start. Runs to the fixed point; report: tiles (visits), passes (in them).
template <class Rule, class State, class... In>
void diagonal(const gpu& on, const Rule& rule, const neighbourhood& near, view<State> state,
              view<const In>... in) {
  refuse_volumes(near);
  if (state.pixels() == 0) return;
  if (near.reach == 1) return run_tiles<sweep_tile_by_diagonals<1>>(on, rule, near, state, in...);
  run_tiles<sweep_tile_by_diagonals<2>>(on, rule, near, state, in...);
}

}  // namespace macareu::cuda

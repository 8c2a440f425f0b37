// Strategy megapixel (Oliveira et al., TPDS 2025): tiles swept line by line in shared memory.
//
// A sweep goes along one axis in one direction; a lane holds a line. Four directions (six in volumes)
// alternate until a whole cycle changes nothing. With face neighbours a sweep propagates states along its
// line. Diagonal neighbours belong to the sweep along the slowest axis in which they differ. It takes offers
// from the whole slab behind it. So the sweeps together cover every offer. A sweep repeated at once changes
// nothing, because every offer behind came from a final state. So its own direction counts as quiet.
#pragma once

#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/tile_wave.cuh"

namespace macareu::cuda {

template <class Shape, int Rank>
struct sweep_tile_by_lines {
  using shape = Shape;

  template <class Tile>
  __device__ static settled settle(const Tile& tile) {
    constexpr int turns = 2 * Rank;
    settled result{false, 0};
    for (int quiet = 0, turn = 0; quiet < turns; turn = turn + 1 < turns ? turn + 1 : 0) {
      const bool moved = __any_sync(whole_warp, sweep(tile, turn % Rank, turn < Rank ? 1 : -1));
      __syncwarp();
      result.changed |= moved;
      ++result.passes;
      quiet = moved ? 1 : quiet + 1;
    }
    return result;
  }

 private:
  /// Axes are numbered from the fastest: x, y, z.
  template <class Tile>
  __device__ static bool sweep(const Tile& tile, int axis, int sign) {
    const cell step{axis == 2 ? sign : 0, axis == 1 ? sign : 0, axis == 0 ? sign : 0};
    const int side = axis == 0 ? shape::width : axis == 1 ? shape::height : shape::depth;
    const int end = axis == 0 ? tile.where.high.x : axis == 1 ? tile.where.high.y : tile.where.high.z;
    const int length = end < side ? end : side;
    if (axis > 0 && tile.near.reach > 1)
      return tile.where.whole() ? sweep_slabs<true>(tile, axis, step, length)
                                : sweep_slabs<false>(tile, axis, step, length);
    bool moved = false;
    for (int line = static_cast<int>(threadIdx.x); line * side < shape::own_cells; line += 32) {
      const cell first = cell_of_line(axis, line, sign > 0 ? 0 : length - 1);
      if (tile.where.inside(first)) moved |= follow_line(tile, first, step, length);
    }
    return moved;
  }

  __device__ static cell cell_of_line(int axis, int line, int position) {
    if (axis == 0) return {line / shape::height, line % shape::height, position};
    if (axis == 1) return {line / shape::width, position, line % shape::width};
    return {position, line / shape::width, line % shape::width};
  }

  /// Carries the state behind `at` along a line.
  template <class Tile>
  struct walker {
    const Tile& tile;
    cell at, step;
    typename Tile::state_type carried;

    /// Reads all, then writes all if anything changed: no memory access lies inside the dependency chain.
    template <int Count>
    __device__ bool advance() {
      using state_type = typename Tile::state_type;
      using input_type = typename Tile::input_type;
      state_type* states = &tile.state(at);
      const input_type* inputs = &tile.input(at);
      const int stride = shape::template slots_between<state_type>(step);
      const int input_stride = shape::template slots_between<input_type>(step);
      state_type held[Count];
      input_type input[Count];
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        held[k] = states[k * stride];
        input[k] = inputs[k * input_stride];
      }
      bool moved = false;
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        const site p = tile.where.place(at - step), q = tile.where.place(at);
        moved |= take(tile.rule, held[k], carried, p, q, input[k]);
        carried = held[k];
        at = at + step;
      }
      if (!moved) return false;
#pragma unroll
      for (int k = 0; k < Count; ++k) states[k * stride] = held[k];
      return true;
    }
  };

  template <class Tile>
  __device__ static bool follow_line(const Tile& tile, cell first, cell step, int length) {
    const bool begins_outside = !tile.where.inside(first - step);
    walker<Tile> walk{tile, first, step, tile.state(begins_outside ? first : first - step)};
    if (begins_outside) {  // the first pixel has no predecessor
      walk.at = first + step;
      --length;
    }
    bool moved = false;
    constexpr int batch = tuning::line_pixels_at_once;
    for (; length >= batch; length -= batch) moved |= walk.template advance<batch>();
    for (; length > 0; --length) moved |= walk.template advance<1>();
    return moved;
  }

  /// Advances all lines one step at a time, because each takes from its neighbours' last step.
  template <bool Whole, class Tile>
  __device__ static bool sweep_slabs(const Tile& tile, int axis, cell step, int length) {
    const int side = axis == 1 ? shape::height : shape::depth;
    const bool forward = step.y + step.z > 0;
    bool moved = false;
    for (int i = 0; i < length; ++i) {
      for (int line = static_cast<int>(threadIdx.x); line * side < shape::own_cells; line += 32)
        moved |= take_from_behind<Whole>(tile, cell_of_line(axis, line, forward ? i : length - 1 - i), step);
      __syncwarp();
    }
    return moved;
  }

  template <bool Whole, class Tile>
  __device__ static bool take_from_behind(const Tile& tile, cell q, cell step) {
    if (!(Whole || tile.where.inside(q))) return false;
    const int wide = Rank == 3 && step.z != 0 ? 1 : 0;
    typename Tile::state_type held = tile.state(q);
    bool moved = false;
    for (int dy = -step.y - wide; dy <= -step.y + wide; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const cell p = shape::neighbour(q, -step.z, dy, dx);
        const bool near = Rank == 2 || tile.near.contains(-step.z, dy, dx);  // 8 neighbours: all of them
        if (near && (Whole || tile.where.inside(p))) moved |= tile.take(held, tile.state(p), p, q);
      }
    if (moved) tile.state(q) = held;
    return moved;
  }
};

/// The state already holds the start. Runs to the fixed point; report: tiles (visits), passes (sweeps in
/// them).
template <class Rule, class State, class... In>
void megapixel(const gpu& on, const Rule& rule, const neighbourhood& near, view<State> state,
               view<const In>... in) {
  if (state.pixels() == 0) return;
  using volume_shape =
      tile_shape<tuning::megapixel_slices, tuning::megapixel_rows, tuning::megapixel_columns, 1, 1, 0>;
  if (near.rank == 3) return run_tiles<sweep_tile_by_lines<volume_shape, 3>>(on, rule, near, state, in...);
  run_tiles<sweep_tile_by_lines<tile_shape<1, 32, 32, 0, 1, 0>, 2>>(on, rule, near, state, in...);
}

}  // namespace macareu::cuda

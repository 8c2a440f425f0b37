// A wave by tiles in shared memory: one persistent kernel, one warp a tile, no host in the loop.
//
// A visit loads the tile with its rim and lets `Settle` move states until the tile is stable. It then stores
// the tile and wakes the neighbours that can improve. Only a tile's own visit writes its pixels, so states
// never get worse. Rims are pulled, not pushed. tile_queue.cuh explains why no update is lost.
//
// The rim may be stale when the visit chooses neighbours to wake. That is safe: states only improve and
// better(., ., q) is a strict order. An offer that is not better than a stale state is not better than the
// present one.
//
// Every write improves its pixel, so the wave ends under non-confluent rules too. At the end no pixel has a
// better offer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/published/improve.cuh"
#include "engines/cuda/wave/published/rule_inputs.cuh"
#include "engines/cuda/wave/published/tile_queue.cuh"
#include "engines/cuda/wave/tile_shape.cuh"

namespace macareu::cuda {

template <class Shape, class State, class... In>
struct tile_memory {
  State states[Shape::slots(sizeof(State))];
  inputs_at<In...> inputs[Shape::slots(sizeof(inputs_at<In...>))];
};

/// The tile of a visit, in shared memory.
template <class Shape, class Rule, class State, class... In>
struct visited_tile {
  using shape = Shape;
  using state_type = State;
  using input_type = inputs_at<In...>;

  const Rule& rule;
  neighbourhood near;
  placed_tile<Shape> where;
  State* states;
  input_type* inputs;

  __device__ State& state(cell c) const { return states[Shape::template slot<State>(c)]; }
  __device__ input_type& input(cell c) const { return inputs[Shape::template slot<input_type>(c)]; }
  __device__ bool take(State& held, State given, cell p, cell q) const {
    return cuda::take(rule, held, given, where.place(p), where.place(q), input(q));
  }
};

struct settled {
  bool changed;
  unsigned passes;
};

/// Loads in batches: a warp waits for memory a few times a tile, not once a row.
template <bool Whole, class Tile, class State, class... In>
__device__ void load_tile(const Tile& tile, const view<State>& state, const view<const In>&... in) {
  using shape = typename Tile::shape;
  constexpr int batch = tuning::tile_pixels_at_once;
  for (int first = static_cast<int>(threadIdx.x); first < shape::box_cells; first += 32 * batch) {
    State states[batch]{};
    inputs_at<In...> inputs[batch]{};
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const cell c = shape::box_cell(first + 32 * k);
      if (first + 32 * k >= shape::box_cells || !(Whole || tile.where.inside(c))) continue;
      const site q = tile.where.place(c);
      states[k] = relaxed_load(&state[q]);
      inputs[k] = read_inputs(q, in...);
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      if (first + 32 * k >= shape::box_cells) continue;
      const cell c = shape::box_cell(first + 32 * k);
      tile.state(c) = states[k];
      tile.input(c) = inputs[k];
    }
  }
  __syncwarp();
}

template <class Tile, class State>
__device__ void store_tile(const Tile& tile, const view<State>& state) {
  using shape = typename Tile::shape;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < shape::own_cells; i += 32) {
    const cell c = shape::own_cell(i);
    if (tile.where.inside(c)) relaxed_store(&state[tile.where.place(c)], tile.state(c));
  }
}

/// Can this tile improve the rim cell q?
template <class Tile>
__device__ bool gives(const Tile& tile, cell q) {
  using shape = typename Tile::shape;
  if (!tile.where.inside(q)) return false;
  typename Tile::state_type held = tile.state(q);
  for (int dz = -shape::rim_z; dz <= shape::rim_z; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const cell p = shape::neighbour(q, dz, dy, dx);
        if (tile.near.contains(dz, dy, dx) && shape::owns(p) && tile.where.inside(p) &&
            tile.take(held, tile.state(p), p, q))
          return true;
      }
  return false;
}

/// Sides of the tile are numbered like the 27 cells of a 3 x 3 x 3 cube.
__device__ inline cell side_of(unsigned number) {
  const int n = static_cast<int>(number);
  return {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
}

/// A bit for every side on which a neighbour can improve.
template <class Tile>
__device__ unsigned sides_to_wake(const Tile& tile) {
  using shape = typename Tile::shape;
  unsigned sides = 0;
  const auto look = [&](cell q) {
    const auto side = [](int at, int size) { return at < 0 ? 0 : at < size ? 1 : 2; };
    const unsigned bit =
        1u << (9 * side(q.z, shape::depth) + 3 * side(q.y, shape::height) + side(q.x, shape::width));
    if (!(sides & bit) && gives(tile, q)) sides |= bit;
  };
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < 2 * shape::rim_z * shape::box_height * shape::box_width; i += 32) {  // planes
    const int row = i / 2 / shape::box_width;
    look({i % 2 ? shape::depth : -1, row - shape::rim_y, i / 2 % shape::box_width - shape::rim_x});
  }
  for (int i = lane; i < 2 * shape::depth * shape::box_width; i += 32) {  // rows
    const int row = i / shape::box_width;
    look({row / 2, row % 2 ? shape::height : -1, i % shape::box_width - shape::rim_x});
  }
  for (int i = lane; i < 2 * shape::rim_x * shape::depth * shape::height; i += 32) {  // columns
    const int line = i % (shape::depth * shape::height), column = i / (shape::depth * shape::height);
    look({line / shape::height, line % shape::height,
          column < shape::rim_x ? -1 - column : shape::width + column - shape::rim_x});
  }
  return __reduce_or_sync(whole_warp, sides);
}

template <class Settle, class Rule, class State, class... In>
__global__ void __launch_bounds__(32)
    visit_tiles(Rule rule, neighbourhood near, tile_grid<typename Settle::shape> grid, tile_queue queue,
                view<State> state, view<const In>... in) {
  using shape = typename Settle::shape;
  __shared__ tile_memory<shape, State, In...> memory;
  if (relaxed_load(&queue.counters->open) == 0) return;  // no tile can move, or all work is done
  unsigned long long visits = 0, passes = 0;
  for (;;) {
    const unsigned number = queue.take();
    if (number == tile_queue::stop) break;
    const visited_tile<shape, Rule, State, In...> tile{rule, near, grid.tile(number), memory.states,
                                                       memory.inputs};
    if (tile.where.whole())
      load_tile<true>(tile, state, in...);
    else
      load_tile<false>(tile, state, in...);
    const settled result = Settle::settle(tile);
    unsigned announced = 0, woken = 0;
    if (result.changed) {
      store_tile(tile, state);
      const bool mine = sides_to_wake(tile) >> threadIdx.x & 1;
      const unsigned neighbour = mine ? grid.neighbour(tile.where.at, side_of(threadIdx.x)) : 0;
      announced = queue.announce(mine);
      woken = queue.wake(mine, neighbour);
    }
    ++visits;
    passes += result.passes;
    if (queue.finish(number, announced, woken)) break;
  }
  if (threadIdx.x == 0) {
    atomicAdd(&queue.counters->visits, visits);
    atomicAdd(&queue.counters->passes, passes);
  }
}

/// Can a pixel of the tile improve? Runs before any write, so plain loads are safe.
template <class Shape, class Rule, class State, class... In>
__device__ bool can_move(const Rule& rule, const neighbourhood& near, const placed_tile<Shape>& where,
                         const view<State>& state, const view<const In>&... in) {
  for (int i = static_cast<int>(threadIdx.x); i < Shape::own_cells; i += 32) {
    const cell c = Shape::own_cell(i);
    bool moves = false;
    if (where.inside(c)) {
      const site q = where.place(c);
      const auto inputs = read_inputs(q, in...);
      State held = state[q];
      near.for_each(q,
                    [&](site p) { moves |= state.contains(p) && take(rule, held, state[p], p, q, inputs); });
    }
    if (__any_sync(whole_warp, moves)) return true;
  }
  return false;
}

/// The first queue: the tiles that can move.
template <class Shape, class Rule, class State, class... In>
__global__ void __launch_bounds__(32)
    queue_first_tiles(Rule rule, neighbourhood near, tile_grid<Shape> grid, tile_queue queue,
                      view<State> state, view<const In>... in) {
  const std::int64_t first = std::int64_t{blockIdx.x} * tuning::first_tiles_of_a_warp;
  bool mine = false;
  for (unsigned k = 0; k < tuning::first_tiles_of_a_warp && first + k < grid.count(); ++k) {
    const auto where = grid.tile(static_cast<unsigned>(first + k));
    const bool moves = can_move(rule, near, where, state, in...);
    if (threadIdx.x == k) mine = moves;
  }
  queue.announce(mine);
  queue.wake(mine, static_cast<unsigned>(first) + threadIdx.x);
}

template <class Settle, class Rule, class State, class... In>
void run_tiles(const gpu& on, const Rule& rule, const neighbourhood& near, view<State> state,
               view<const In>... in) {
  using shape = typename Settle::shape;
  const auto grid = tile_grid<shape>::over(state.depth, state.height, state.width);
  const auto kernel = visit_tiles<Settle, Rule, State, In...>;
  int warps_at_once = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&warps_at_once, kernel, 32, 0),
        "occupancy of visit_tiles");
  const auto warps = std::min<std::int64_t>(grid.count(), std::int64_t{warps_at_once} * on.multiprocessors);
  const tile_queue_memory memory(on, grid.count(), warps);

  const std::int64_t first_warps =
      (grid.count() + tuning::first_tiles_of_a_warp - 1) / tuning::first_tiles_of_a_warp;
  queue_first_tiles<shape><<<static_cast<unsigned>(first_warps), 32, 0, on.stream>>>(
      rule, near, grid, memory.queue(), state, in...);
  on.launched("queue_first_tiles");
  kernel<<<static_cast<unsigned>(warps), 32, 0, on.stream>>>(rule, near, grid, memory.queue(), state, in...);
  on.launched("visit_tiles");
  const auto counters = memory.counters(on);
  on.work.report.tiles = static_cast<std::int64_t>(counters.visits);
  on.work.report.passes = static_cast<std::int64_t>(counters.passes);
}

}  // namespace macareu::cuda

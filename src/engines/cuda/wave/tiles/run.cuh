// Launches the tile kernels. One file per key width instantiates it, so that they compile in parallel.
#pragma once

#include <algorithm>
#include <string>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/occupancy.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/tiles.cuh"
#include "engines/cuda/wave/tiles/image_wave.cuh"
#include "engines/cuda/wave/tiles/volume_wave.cuh"
#include "engines/cuda/wave/tiles/wave_memory.cuh"

namespace macareu::cuda {
namespace tiles {

/// Bounds the time of tiles and contraction together to twice that of contraction, plus a constant. First
/// visits determine the ruggedness.
template <class Key>
wave_limits limits_for(const gpu& on, const bottleneck_problem<Key>& problem, std::uint32_t count,
                       const worker_blocks& by) {
  const auto& near = problem.near;
  const auto shares =
      static_cast<double>(problem.state.pixels()) * tuning::contraction_multiprocessors / on.multiprocessors;
  wave_limits limits{.contraction = static_cast<float>(tuning::contraction_cycles +
                                                       tuning::contraction_cycles_of<Key>(near) * shares),
                     .few = by.workers() / tuning::travelling_share};
  if (near.rank == 3 && near.reach == 1) limits.wake_ups = std::max(tuning::least_wake_ups, count / 2);
  return limits;
}

/// Tile numbers have 31 bits, and the queue holds all tiles and the workers.
inline std::uint32_t as_tile_count(std::int64_t tiles) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (tiles > most)
    throw too_large("cuda: strategy tiles: the image has " + std::to_string(tiles) + " tiles, the limit is " +
                    std::to_string(most) + "; use the cpu device");
  return static_cast<std::uint32_t>(tiles);
}

template <class Key>
struct image_tiles {
  std::uint32_t across, count;
  explicit image_tiles(const view<Key>& image)
      : across(static_cast<std::uint32_t>(ceil_div(image.width, lane_keys<Key>::side))),
        count(as_tile_count(across * ceil_div(image.height, lane_keys<Key>::side))) {}
  bool few() const { return count <= tuning::few_image_tiles; }
};

inline constexpr first_visits unlimited_passes{~0u, ~0u},
    short_first_visits{tuning::passes_before_neighbours, tuning::passes_after_neighbours};

template <int Blocks, bool Diagonals, class Key>
tile_result visit_tiles(const gpu& on, const bottleneck_problem<Key>& problem,
                        const std::function<void()>& go_on) {
  constexpr auto kernel = visit_image_tiles<Key, Diagonals, Blocks>;
  constexpr int warps_per_block = tuning::image_tile_warps;
  const image_tiles tiles(problem.state);
  const auto count = tiles.count;
  const std::size_t shared = warps_per_block * sizeof(image_tile<Key, Diagonals>);
  const auto blocks = [&](int most) {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(
        resident_blocks<kernel>(on, 32 * warps_per_block, shared, most), ceil_div(count, warps_per_block)));
  };
  const worker_blocks by{blocks(tiles.few() ? tuning::blocks_of_few_tiles : tuning::blocks_of_many_tiles),
                         blocks(tiles.few() ? tuning::blocks_that_stay : tuning::blocks_of_many_tiles),
                         warps_per_block};
  wave_memory memory(on, count, by,
                     published_rims<Key>::per_tile * (count + 1ll) * static_cast<std::int64_t>(sizeof(Key)));
  const image_wave<Key> wave{
      problem,
      memory.work(),
      go_on ? limits_for(on, problem, count, by) : wave_limits{},
      {static_cast<Key*>(memory.rims())},
      tiles.across,
      in_vectors(problem.state) && in_vectors(problem.start) && in_vectors(problem.capacity),
      problem.start.data != problem.state.data,
      tuning::cuts_first_visits<Key, Diagonals> && count > by.workers() ? short_first_visits
                                                                        : unlimited_passes};
  kernel<<<by.all, 32 * warps_per_block, shared, on.stream>>>(wave);
  on.launched("visit_image_tiles");
  return memory.result(on, go_on);
}

template <class Key, bool Diagonals>
tile_result run_image_tiles(const gpu& on, const bottleneck_problem<Key>& problem,
                            const std::function<void()>& go_on) {
  return visit_tiles<tuning::image_tile_blocks<Key, Diagonals>, Diagonals>(on, problem, go_on);
}

template <class Key>
__global__ void write_start(const __grid_constant__ bottleneck_problem<Key> problem,
                            worklist_counters* counters) {
  const auto& state = problem.state;
  bool beyond = false;
  const std::int64_t rows = state.depth * state.height;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    for (std::int64_t x = threadIdx.x; x < state.width; x += blockDim.x) {
      const site p{row / state.height, row % state.height, x};
      const Key start = problem.map.key(problem.start[p]), most = problem.capacity_at(p);
      beyond |= start > most || problem.map.is_nan(start) || problem.map.is_nan(most);
      state[p] = problem.map.bits(min(start, most));
    }
  if (beyond) store_relaxed(&counters->beyond, 1u);
}

template <class Key, volume_reach Reach>
tile_result run_volume_tiles(const gpu& on, const bottleneck_problem<Key>& problem,
                             const std::function<void()>& go_on) {
  using tile = volume_tile<Key>;
  constexpr auto kernel = visit_volume_tiles<Key, Reach>;
  const auto& state = problem.state;
  const auto across = ceil_div(state.width, tile::width), down = ceil_div(state.height, tile::height);
  const auto count = as_tile_count(across * down * ceil_div(state.depth, tile::depth));
  const std::size_t shared = 2 * tile::size * sizeof(Key);
  const auto blocks = std::min<std::int64_t>(
      resident_blocks<kernel>(on, 32 * tile::warps, shared, tuning::most_volume_tile_blocks), count);
  const auto all = static_cast<std::uint32_t>(blocks);
  const worker_blocks by{all, all, 1};
  wave_memory memory(on, count, by, 0);
  write_start<<<static_cast<unsigned>(
                    std::min<std::int64_t>(state.depth * state.height, tuning::most_volume_start_blocks)),
                tuning::volume_start_threads, 0, on.stream>>>(problem, memory.work().counters);
  on.launched("write_start");
  const volume_wave<Key> wave{problem, memory.work(),
                              go_on ? limits_for(on, problem, count, by) : wave_limits{},
                              static_cast<std::uint32_t>(across), static_cast<std::uint32_t>(down)};
  kernel<<<static_cast<unsigned>(blocks), 32 * tile::warps, shared, on.stream>>>(wave);
  on.launched("visit_volume_tiles");
  return memory.result(on, go_on);
}

}  // namespace tiles

template <class Key>
tile_result run_tiles(const gpu& on, const bottleneck_problem<Key>& problem,
                      const std::function<void()>& go_on) {
  using namespace tiles;
  const auto& near = problem.near;
  if (near.rank == 2)
    return near.reach == 1 ? run_image_tiles<Key, false>(on, problem, go_on)
                           : run_image_tiles<Key, true>(on, problem, go_on);
  return near.reach == 1   ? run_volume_tiles<Key, volume_reach::faces>(on, problem, go_on)
         : near.reach == 2 ? run_volume_tiles<Key, volume_reach::edges>(on, problem, go_on)
                           : run_volume_tiles<Key, volume_reach::corners>(on, problem, go_on);
}

}  // namespace macareu::cuda

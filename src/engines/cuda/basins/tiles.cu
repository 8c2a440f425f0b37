#include "engines/cuda/basins/tiles.cuh"

#include <algorithm>
#include <limits>

#include <macareu/error.hpp>

#include "core/ceil_div.hpp"
#include "engines/cuda/basins/tile_links.cuh"
#include "engines/cuda/basins/tile_parents.cuh"
#include "engines/cuda/basins/tile_steps.cuh"
#include "engines/cuda/component/labelling.cuh"
#include "engines/cuda/runtime/dependent_launch.cuh"
#include "engines/cuda/runtime/occupancy.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/tiles/wave_memory.cuh"

namespace macareu::cuda::tile_basins {
namespace {

using tuning::seed_threads;

/// Pixels without d are minima: they become seeds with their own height, and objects of `labelled`. All loads
/// of a thread are in flight at once.
template <class Key>
__global__ void __launch_bounds__(seed_threads, tuning::seed_blocks)
    seed_minima(const __grid_constant__ world all, Key* levels, std::int64_t pitch,
                const __grid_constant__ view<const Key> heights, std::uint64_t* labelled) {
  constexpr int rows = side / (seed_threads / 32), halves = 2;
  follow();
  const auto tile = blockIdx.x, column = tile % all.across;
  const int lane = static_cast<int>(threadIdx.x % 32), first = static_cast<int>(threadIdx.x / 32) * rows;
  const std::int64_t x = std::int64_t{column} * side + lane,
                     y = std::int64_t{tile / all.across} * side + first;
  word* const seeded = all.seeded + std::int64_t{tile} * side + first;
  const word* const reached = all.reached + std::int64_t{tile} * side + first;
  word minima[rows];
#pragma unroll
  for (int k = 0; k < rows; ++k) minima[k] = seeded[k] & ~reached[k];
  const auto is_minimum = [&](int k, int half) {
    return static_cast<std::uint32_t>(minima[k] >> 32 * half) >> lane & 1;
  };
  Key height[rows][halves];
  const Key* from = &heights[{0, y, x}];
#pragma unroll
  for (int k = 0; k < rows; ++k, from += heights.step_y)
#pragma unroll
    for (int half = 0; half < halves; ++half)
      if (is_minimum(k, half)) height[k][half] = from[32 * half * heights.step_x];
  __syncwarp();
  Key* to = levels + y * pitch + x;
#pragma unroll
  for (int k = 0; k < rows; ++k, to += pitch) {
    if (lane == k) {
      seeded[k] = minima[k];
      if (y + k < all.height) labelled[(y + k) * all.across + column] = minima[k];
    }
#pragma unroll
    for (int half = 0; half < halves; ++half)
      if (is_minimum(k, half)) to[32 * half] = height[k][half];
  }
}

/// The arrays of a world, one after another.
class world_memory {
 public:
  world_memory(const gpu& on, const neighbourhood& near, std::int64_t height, std::int64_t width)
      : across_(ceil_div(width, side)),
        tiles_(across_ * ceil_div(height, side)),
        memory_(on, tiles_ * bytes_per_tile + rim_places * std::int64_t{sizeof(std::uint32_t)}) {
    all_.height = height;
    all_.width = width;
    all_.across = static_cast<std::uint32_t>(across_);
    all_.tiles = static_cast<std::uint32_t>(tiles_);
    all_.diagonals = near.reach > 1;
    std::byte* at = memory_.data();
    const auto take = [&]<class T>(T*& place, std::int64_t count) {
      place = reinterpret_cast<T*>(at);
      at += count * static_cast<std::int64_t>(sizeof(T));
    };
    take(all_.links, tiles_ * planes_per_tile * side);
    take(all_.steps, tiles_ * most_step_bits * side);
    take(all_.seeded, tiles_ * side);
    take(all_.reached, tiles_ * side);
    take(all_.leaving, tiles_ * side);
    take(all_.rims, (tiles_ + 1) * rim_places);
    take(all_.next, tiles_ * rim_places);
    take(all_.rim_labels, tiles_ * rim_places);
    take(all_.step_bits, tiles_);
  }
  const world& all() const { return all_; }

 private:
  static constexpr std::int64_t bytes_per_tile =
      (planes_per_tile + most_step_bits + 3) * side * std::int64_t{sizeof(word)} +
      (3 * rim_places + 1) * std::int64_t{sizeof(std::uint32_t)};
  std::int64_t across_, tiles_;
  device_array<std::byte> memory_;
  world all_{};
};

template <class Key>
void launch_links(const gpu& on, const world& all, const view<const Key>& levels, const ground& where) {
  const auto launch = [&]<ground_kind Kind>() {
    const auto kernel = all.diagonals ? find_links<Key, true, Kind> : find_links<Key, false, Kind>;
    kernel<<<all.tiles, link_threads, 0, on.stream>>>(all, levels.data, levels.step_y,
                                                      has_aligned_groups(levels, 4), where);
    on.launched("find_links");
  };
  if (where.seeds) return launch.template operator()<ground_kind::seeded>();
  if (where.mask) return launch.template operator()<ground_kind::masked>();
  launch.template operator()<ground_kind::everywhere>();
}

/// Launches the visits of tiles.
class step_visits {
 public:
  step_visits(const gpu& on, const world& all) : memory_(on, all.tiles, blocks_for(on, all), 0) {
    const auto by = blocks_for(on, all);
    visit_tiles<<<by.all, 32 * visit_warps, 0, on.stream>>>({all, memory_.work(), {}});
    on.launched("visit_tiles");
  }
  /// Call it after all other launches: it waits.
  void finish(const gpu& on) { memory_.result(on, {}); }

 private:
  static tiles::worker_blocks blocks_for(const gpu& on, const world& all) {
    const auto blocks = [&](int most) {
      return static_cast<std::uint32_t>(
          std::min<std::int64_t>(resident_blocks<visit_tiles>(on, 32 * visit_warps, 0, most),
                                 ceil_div(std::int64_t{all.tiles}, visit_warps)));
    };
    return {blocks(tuning::basin_tile_blocks), blocks(tuning::basin_blocks_that_stay), visit_warps};
  }
  tiles::wave_memory memory_;
};

template <class Key>
void launch_labels(const gpu& on, const world& all, const view<const Key>& passes,
                   const view<std::uint32_t>& labels, const view<const std::uint32_t>& seeds) {
  launch_dependent(on, "settle_tiles", settle_tiles, ceil_div(all.tiles, std::uint32_t{settle_warps}),
                   32 * settle_warps, 0, all);
  launch_dependent(on, "find_parents", find_parents<Key>, all.tiles, parent_threads, 0, all, passes.data,
                   passes.step_y, labels, seeds);
  launch_dependent(on, "jump_rims", jump_rims, all.tiles, rim_places, 0, all);
  launch_dependent(on, "write_leaving", write_leaving, all.tiles, write_threads, 0, all, labels);
}

}  // namespace

bool fits(const neighbourhood& near, std::int64_t height, std::int64_t width) {
  const auto pixels = height * width, tiles = ceil_div(height, side) * ceil_div(width, side);
  return near.rank == 2 && pixels <= std::int64_t{1} << most_step_bits &&
         (tiles <= tuning::few_basin_tiles || tiles * side * side <= 4 * pixels);
}

template <class Key>
void run(const gpu& on, const neighbourhood& near, const view<std::uint32_t>& labels,
         const view<const Key>& passes, const view<const std::uint32_t>& seeds) {
  const world_memory memory(on, near, passes.height, passes.width);
  launch_links(on, memory.all(), passes, {seeds.data, seeds.step_y, nullptr, 0});
  step_visits visits(on, memory.all());
  launch_labels(on, memory.all(), passes, labels, seeds);
  visits.finish(on);
}

template <class Key>
std::uint64_t run_from_minima(const gpu& on, const neighbourhood& near, const view<std::uint32_t>& labels,
                              const view<Key>& levels, const view<const Key>& heights,
                              const view<const std::uint8_t>& mask) {
  if (levels.step_x != 1 || (mask.data && mask.step_x != 1))
    throw internal_error("cuda: basins: levels and mask are not laid out as temporaries are");
  const world_memory memory(on, near, levels.height, levels.width);
  const auto& all = memory.all();
  launch_links(on, all, view<const Key>(levels), {nullptr, 0, mask.data, mask.step_y});
  step_visits visits(on, all);
  {
    labels::labelling minima(on, {1, levels.height, levels.width, near, false});
    launch_dependent(on, "seed_minima", seed_minima<Key>, all.tiles, seed_threads, 0, all, levels.data,
                     levels.step_y, heights, minima.set_pixels());
    minima.solve();
    minima.write(labels, labels::background::kept);
  }
  launch_labels(on, all, view<const Key>(levels), labels, view<const std::uint32_t>(labels));
  visits.finish(on);
  return labels::labelling::count(on);
}

template void run(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                  const view<const std::uint8_t>&, const view<const std::uint32_t>&);
template void run(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                  const view<const std::uint16_t>&, const view<const std::uint32_t>&);
template void run(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                  const view<const std::uint32_t>&, const view<const std::uint32_t>&);
template std::uint64_t run_from_minima(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                                       const view<std::uint8_t>&, const view<const std::uint8_t>&,
                                       const view<const std::uint8_t>&);
template std::uint64_t run_from_minima(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                                       const view<std::uint16_t>&, const view<const std::uint16_t>&,
                                       const view<const std::uint8_t>&);
template std::uint64_t run_from_minima(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                                       const view<std::uint32_t>&, const view<const std::uint32_t>&,
                                       const view<const std::uint8_t>&);

}  // namespace macareu::cuda::tile_basins

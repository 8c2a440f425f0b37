#include "engines/cuda/basins/basins.cuh"

#include <algorithm>
#include <limits>

#include <macareu/error.hpp>

#include "engines/cuda/basins/fronts.cuh"
#include "engines/cuda/basins/tiles.cuh"
#include "engines/cuda/runtime/too_large.hpp"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {
namespace {

constexpr int threads = tuning::path_threads;

unsigned blocks_for(std::int64_t pixels) {
  return static_cast<unsigned>(std::max<std::int64_t>(1, ceil_div(pixels, std::int64_t{threads})));
}

/// The neighbour with the least (L, d); the pixel itself at the end of a path.
template <class Key>
__global__ void find_parents(basin_world<Key> world, std::uint32_t* parent) {
  const auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= world.indices()) return;
  const auto p = static_cast<std::uint32_t>(i);
  auto best = p;
  if (world.is_pixel(p) && world.seeds[p] == 0 && world.steps[p] != basin::never) {
    Key pass = world.passes[p];
    std::uint32_t steps = world.steps[p];
    world.for_each_near(p, [&](std::uint32_t q) {
      const Key other = world.passes[q];
      if (other > pass || (other == pass && world.steps[q] >= steps)) return;
      pass = other;
      steps = world.steps[q];
      best = q;
    });
  }
  parent[p] = best;
}

/// Other threads shorten the same paths: any value that is read lies on the path of its pixel.
__global__ void shorten_paths(volatile std::uint32_t* parent, std::int64_t indices, std::uint32_t* moved) {
  const auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= indices) return;
  auto to = parent[i];
  bool any = false;
  for (int jumps = 0; jumps < tuning::steps_of_a_launch; ++jumps) {
    const auto next = parent[to];
    if (next == to) break;
    to = next;
    any = true;
  }
  if (!any) return;
  parent[i] = to;
  *moved = 1;
}

__global__ void write_labels(view<std::uint32_t> labels, const std::uint32_t* parent,
                             const std::uint32_t* seeds, std::int64_t pitch) {
  const auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto row = i / pitch, x = i % pitch;
  if (x >= labels.width || row >= labels.depth * labels.height) return;
  const auto seed = seeds[parent[i]];
  labels[{row / labels.height, row % labels.height, x}] = seed == basin::outside ? 0 : seed;
}

}  // namespace

template <class Key>
void run_basins(const gpu& on, const neighbourhood& near, const view<std::uint32_t>& labels,
                const view<const Key>& passes, const view<const std::uint32_t>& seeds) {
  const auto pitch = passes.step_y, indices = passes.depth * passes.height * pitch;
  const auto has_pitch = [&](const auto& image) {
    return image.step_x == 1 && image.step_y == pitch &&
           (image.depth == 1 || image.step_z == image.height * pitch);
  };
  if (!has_pitch(passes) || !has_pitch(seeds))
    throw internal_error("cuda: basins: passes and seeds are not laid out as temporaries are");
  if (indices >= std::numeric_limits<std::uint32_t>::max())
    throw too_large("cuda: watershed: an image of " + std::to_string(passes.pixels()) +
                    " pixels exceeds numbers of 32 bits; use the cpu device or pieces");
  if constexpr (sizeof(Key) <= 4)
    if (tile_basins::fits(near, passes.height, passes.width))
      return tile_basins::run(on, near, labels, passes, seeds);
  const device_array<std::uint32_t> steps(on, indices), front(on, indices), next(on, indices), moved(on, 1);
  const basin_world<Key> world{passes.depth, passes.height, passes.width, pitch,        near,
                               passes.data,  seeds.data,    steps.data(), front.data(), next.data()};
  find_steps(on, world);
  std::uint32_t* const parent = front.data();  // fronts are no longer needed
  find_parents<<<blocks_for(indices), threads, 0, on.stream>>>(world, parent);
  on.launched("find_parents");
  do {
    on.work.check_stop();
    moved.fill_bytes(0);
    shorten_paths<<<blocks_for(indices), threads, 0, on.stream>>>(parent, indices, moved.data());
    on.launched("shorten_paths");
  } while (fetch(on, moved.data()) != 0);
  write_labels<<<blocks_for(indices), threads, 0, on.stream>>>(labels, parent, seeds.data, pitch);
  on.launched("write_labels");
}

template void run_basins(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                         const view<const std::uint8_t>&, const view<const std::uint32_t>&);
template void run_basins(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                         const view<const std::uint16_t>&, const view<const std::uint32_t>&);
template void run_basins(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                         const view<const std::uint32_t>&, const view<const std::uint32_t>&);
template void run_basins(const gpu&, const neighbourhood&, const view<std::uint32_t>&,
                         const view<const std::uint64_t>&, const view<const std::uint32_t>&);

}  // namespace macareu::cuda

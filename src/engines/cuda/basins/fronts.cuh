// d of a watershed by fronts of pixels: all pixels of d = 0, then of d = 1, and so on. For images and volumes
// of any shape. A wide front is one launch. One block computes narrow fronts one after another, because a
// launch for each would take longer than the fronts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/tuning.hpp"
#include "patterns/basins.hpp"

namespace macareu::cuda {

/// L, seeds and d in memory, and the pixels of two fronts by index. Rows of all images have the same pitch.
template <class Key>
struct basin_world {
  std::int64_t depth, height, width, pitch;
  neighbourhood near;
  const Key* passes;
  const std::uint32_t* seeds;
  std::uint32_t* steps;
  std::uint32_t *front, *next;

  /// Indices, those between the end of a row and the next one included.
  MACAREU_HD std::int64_t indices() const { return depth * height * pitch; }
  __device__ bool is_pixel(std::uint32_t p) const { return p % static_cast<std::uint32_t>(pitch) < width; }

  /// visit(index) for neighbours inside the mask, in the order of ties.
  template <class Visit>
  __device__ void for_each_near(std::uint32_t p, Visit&& visit) const {
    const auto step = static_cast<std::uint32_t>(pitch), h = static_cast<std::uint32_t>(height);
    const std::uint32_t row = p / step;
    const int x = static_cast<int>(p - row * step), y = static_cast<int>(row % h),
              z = static_cast<int>(row / h);
    const int slices = near.rank == 3;
    for (int axes = 1; axes <= near.reach; ++axes)
      for (int dz = -slices; dz <= slices; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            if (dz * dz + dy * dy + dx * dx != axes) continue;
            const int Z = z + dz, Y = y + dy, X = x + dx;
            if (X < 0 || Y < 0 || Z < 0 || X >= width || Y >= height || Z >= depth) continue;
            const auto q = static_cast<std::uint32_t>((Z * height + Y) * pitch + X);
            if (seeds[q] != basin::outside) visit(q);
          }
  }

  /// Linked neighbours without d get it, and join the next front.
  __device__ void relax(std::uint32_t p, std::uint32_t level, std::uint32_t* count) const {
    const Key own = passes[p];
    for_each_near(p, [&](std::uint32_t q) {
      if (passes[q] == own && atomicCAS(steps + q, basin::never, level + 1) == basin::never)
        next[atomicAdd(count, 1u)] = q;
    });
  }
};

struct fronts_done {
  std::uint32_t count;   // pixels of the next front
  std::uint32_t fronts;  // by narrow_fronts
};

template <class Key>
__global__ void find_entries(basin_world<Key> world, fronts_done* done) {
  const auto stride = std::int64_t{gridDim.x} * blockDim.x;
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < world.indices(); i += stride) {
    const auto p = static_cast<std::uint32_t>(i);
    if (!world.is_pixel(p)) continue;
    const auto seed = world.seeds[p];
    bool entry = seed != 0 && seed != basin::outside;
    if (seed == 0) {
      const Key own = world.passes[p];
      world.for_each_near(p, [&](std::uint32_t q) { entry = entry || world.passes[q] < own; });
    }
    world.steps[p] = entry ? 0 : basin::never;
    if (entry) world.front[atomicAdd(&done->count, 1u)] = p;
  }
}

template <class Key>
__global__ void wide_front(basin_world<Key> world, std::uint32_t level, std::uint32_t size,
                           fronts_done* done) {
  for (auto i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    world.relax(world.front[i], level, &done->count);
}

/// One block, until the front is empty or wide.
template <class Key>
__global__ void narrow_fronts(basin_world<Key> world, std::uint32_t level, std::uint32_t size,
                              fronts_done* done) {
  __shared__ std::uint32_t found;
  std::uint32_t fronts = 0;
  for (; size > 0 && size <= tuning::narrow_front; ++fronts) {
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    for (auto i = threadIdx.x; i < size; i += blockDim.x) world.relax(world.front[i], level + fronts, &found);
    __syncthreads();
    size = found;
    std::uint32_t* const before = world.front;
    world.front = world.next;
    world.next = before;
    __syncthreads();
  }
  if (threadIdx.x == 0) *done = {size, fronts};
}

template <class Key>
void find_steps(const gpu& on, basin_world<Key> world) {
  const device_array<fronts_done> done(on, 1);
  done.fill_bytes(0);
  constexpr int threads = tuning::front_threads;
  const auto blocks = [&](std::int64_t units) {
    return static_cast<unsigned>(std::clamp<std::int64_t>(ceil_div(units, std::int64_t{threads}), 1,
                                                          tuning::front_blocks * on.multiprocessors));
  };
  find_entries<<<blocks(world.indices()), threads, 0, on.stream>>>(world, done.data());
  on.launched("find_entries");
  std::uint32_t level = 0;
  for (auto size = fetch(on, done.data()).count; size > 0;) {
    on.work.check_stop();
    done.fill_bytes(0);
    const bool narrow = size <= tuning::narrow_front;
    if (narrow)
      narrow_fronts<<<1, tuning::narrow_front_threads, 0, on.stream>>>(world, level, size, done.data());
    else
      wide_front<<<blocks(size), threads, 0, on.stream>>>(world, level, size, done.data());
    on.launched(narrow ? "narrow_fronts" : "wide_front");
    const auto found = fetch(on, done.data());
    const auto fronts = narrow ? found.fronts : 1;
    if (fronts % 2 != 0) std::swap(world.front, world.next);
    level += fronts;
    size = found.count;
  }
}

}  // namespace macareu::cuda

// The wave over the tiles of a volume: one block visits a tile.
//
// The state is written before the wave starts. Neighbours read each other's voxels in it with relaxed loads.
// The owner stores them relaxed, then fences, then wakes.
#pragma once

#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/problem.cuh"
#include "engines/cuda/wave/tiles/relaxed.cuh"
#include "engines/cuda/wave/tiles/scheduler.cuh"
#include "engines/cuda/wave/tiles/volume_tile.cuh"

namespace macareu::cuda::tiles {

template <class Key>
struct volume_wave {
  bottleneck_problem<Key> problem;
  worklist work;
  wave_limits limits;
  std::uint32_t across, down;  // tiles along x and y
};

template <class Key, volume_reach Reach>
class volume_worker {
  using tile_shape = volume_tile<Key>;
  static constexpr int loads_at_once = tuning::voxels_at_once;

 public:
  /// Shared variables of the block besides the tile.
  struct board {
    scheduler::turn turn;
    bool more, visits;
    unsigned wakes;
  };

  __device__ volume_worker(const volume_wave<Key>& wave, const tile_shape& tile, board& shared)
      : wave_(wave), tile_(tile), board_(shared), thread_(static_cast<int>(threadIdx.x)) {}

  /// Warp 0 handles the worklist.
  __device__ void run() {
    const bool leads = thread_ < 32;
    scheduler schedule(wave_.work, wave_.limits, wave_.across, leads);
    for (;;) {
      if (leads) {
        scheduler::turn at;
        const bool more = schedule.next(at);
        const bool visited = more && !schedule.gave_up();
        if (visited && at.first && thread_ == 0) wave_.work.begin(at.tile);
        if (thread_ == 0) board_ = {at, more, visited, 0};
      }
      __syncthreads();
      if (!board_.more) break;
      const auto at = board_.turn;
      const bool visited = board_.visits;
      if (visited) schedule.visited(visit(at));
      if (visited && leads && at.first) schedule.found_uneven();  // volumes are not surveyed
      if (leads) {
        publish_fence();  // for the stores of the other warps
        schedule.leave(at, visited, board_.wakes, neighbour(at.tile, thread_));
      }
      __syncthreads();
    }
    schedule.end(blockIdx.x, leads);
  }

 private:
  struct corner {
    std::int64_t z, y, x;
  };
  __device__ corner origin(std::uint32_t tile) const {
    const auto x = tile % wave_.across, y = tile / wave_.across % wave_.down,
               z = tile / wave_.across / wave_.down;
    return {z * std::int64_t{tile_shape::depth}, y * std::int64_t{tile_shape::height},
            x * std::int64_t{tile_shape::width}};
  }

  /// Neighbouring tiles, in the order of wake-up bits: (dz + 1) * 9 + (dy + 1) * 3 + dx + 1.
  __device__ std::uint32_t neighbour(std::uint32_t tile, int bit) const {
    if (bit == 13 || bit > 26) return no_tile;
    const auto across = wave_.across, down = wave_.down, slab = across * down;
    const std::int64_t x = tile % across + bit % 3 - 1ll, y = tile / across % down + bit / 3 % 3 - 1ll;
    const std::int64_t z = tile / slab + bit / 9 - 1ll;
    if (x < 0 || x >= across || y < 0 || y >= down || z < 0 || z >= wave_.work.tiles / slab) return no_tile;
    return static_cast<std::uint32_t>((z * down + y) * across + x);
  }

  /// Returns how often the axes were swept.
  __device__ unsigned visit(const scheduler::turn& at) {
    const auto from = origin(at.tile);
    load(from);
    unsigned rounds = 0;
    bool changed = false;
    while (sweep<Reach>(tile_)) changed = true, ++rounds;
    if (changed) store(from);
    if (changed || at.first) {
      publish_fence();
      find_wakes();
    }
    __syncthreads();
    return rounds + 1;
  }

  /// The tile and its shell; beyond the volume keys are 0.
  __device__ void load(const corner& from) {
    constexpr int w = tile_shape::width, rows = tile_shape::rows, warps = tile_shape::warps;
    const int lane = thread_ & 31;
    for (int first = thread_ / 32; first < rows; first += loads_at_once * warps)  // a warp to a row
      load_voxels(from, [&](int i) { return row_voxel(first + i * warps, lane); });
    for (int first = thread_; first < 2 * rows; first += loads_at_once * warps * 32)  // the rows' ends
      load_voxels(from, [&](int i) {
        const int end = first + i * warps * 32;
        return row_voxel(end / 2, end % 2 ? w : -1);
      });
    __syncthreads();
  }

  struct voxel {
    int z, y, x;
    bool any;
  };
  static __device__ voxel row_voxel(int row, int x) {
    constexpr int height = tile_shape::height + 2;
    return {row / height - 1, row % height - 1, x, row < tile_shape::rows};
  }

  /// Issues all loads before the first use: a thread waits once, not once per voxel.
  template <class Which>
  __device__ __forceinline__ void load_voxels(const corner& from, Which which) {
    const auto& problem = wave_.problem;
    Key state[loads_at_once], capacity[loads_at_once];
    bool inside[loads_at_once];
#pragma unroll
    for (int i = 0; i < loads_at_once; ++i) {
      const voxel v = which(i);
      const site p{from.z + v.z, from.y + v.y, from.x + v.x};
      inside[i] = v.any && problem.state.contains(p);
      state[i] = inside[i] ? load_relaxed(&problem.state[p]) : Key{0};
      capacity[i] = inside[i] ? problem.capacity[p] : Key{0};
    }
#pragma unroll
    for (int i = 0; i < loads_at_once; ++i) {
      const voxel v = which(i);
      if (!v.any) continue;
      const int place = tile_shape::place(v.z, v.y, v.x);
      tile_.state[place] = inside[i] ? problem.map.key(state[i]) : Key{0};
      tile_.capacity[place] = inside[i] ? problem.map.key(capacity[i]) : Key{0};
    }
  }

  __device__ void store(const corner& from) {
    const auto& problem = wave_.problem;
    const int lane = thread_ & 31;
    for (int row = thread_ / 32; row < tile_shape::height * tile_shape::depth; row += tile_shape::warps) {
      const int z = row / tile_shape::height, y = row % tile_shape::height;
      const site p{from.z + z, from.y + y, from.x + lane};
      if (problem.state.contains(p))
        store_relaxed(&problem.state[p], problem.map.bits(tile_.state[tile_shape::place(z, y, lane)]));
    }
  }

  /// Finds the neighbours that the tile can raise, at every voxel of the shell.
  __device__ void find_wakes() {
    constexpr int w = tile_shape::width, h = tile_shape::height, d = tile_shape::depth;
    constexpr int slices = 2 * (h + 2) * (w + 2), sides = 2 * d * (w + 2), ends = 2 * d * h;
    unsigned wakes = 0;
    for (int i = thread_; i < slices + sides + ends; i += tile_shape::warps * 32) {
      int z, y, x;
      if (i < slices) {
        z = i < slices / 2 ? -1 : d;
        y = i % (slices / 2) / (w + 2) - 1;
        x = i % (w + 2) - 1;
      } else if (i < slices + sides) {
        const int k = i - slices;
        y = k < sides / 2 ? -1 : h;
        z = k % (sides / 2) / (w + 2);
        x = k % (w + 2) - 1;
      } else {
        const int k = i - slices - sides;
        x = k < ends / 2 ? -1 : w;
        z = k % (ends / 2) / h;
        y = k % h;
      }
      if (rises(z, y, x)) wakes |= 1u << (side_of(z, d) * 9 + side_of(y, h) * 3 + side_of(x, w));
    }
    wakes = __reduce_or_sync(all_lanes, wakes);
    if (wakes && (thread_ & 31) == 0) atomicOr(&board_.wakes, wakes);
  }

  static __device__ int side_of(int i, int size) { return i < 0 ? 0 : i >= size ? 2 : 1; }

  /// Does a voxel of the tile raise this voxel of its shell?
  __device__ bool rises(int z, int y, int x) const {
    const int here = tile_shape::place(z, y, x);
    const Key state = tile_.state[here], capacity = tile_.capacity[here];
    if (state >= capacity) return false;
    Key offer = 0;
    for (int zz = max(z - 1, 0); zz <= min(z + 1, tile_shape::depth - 1); ++zz)
      for (int yy = max(y - 1, 0); yy <= min(y + 1, tile_shape::height - 1); ++yy)
        for (int xx = max(x - 1, 0); xx <= min(x + 1, tile_shape::width - 1); ++xx) {
          const int axes = abs(zz - z) + abs(yy - y) + abs(xx - x);
          if (axes <= static_cast<int>(Reach)) offer = max(offer, tile_.state[tile_shape::place(zz, yy, xx)]);
        }
    return offer > state;
  }

  const volume_wave<Key>& wave_;
  const tile_shape& tile_;
  board& board_;
  int thread_;
};

template <class Key, volume_reach Reach>
__global__ void __launch_bounds__(volume_tile<Key>::warps * 32, tuning::volume_tile_blocks<Key>)
    visit_volume_tiles(const __grid_constant__ volume_wave<Key> wave) {
  using worker = volume_worker<Key, Reach>;
  extern __shared__ uint4 shared[];
  __shared__ typename worker::board board;
  auto* keys = reinterpret_cast<Key*>(shared);
  const volume_tile<Key> tile{keys, keys + volume_tile<Key>::size};
  worker(wave, tile, board).run();
}

}  // namespace macareu::cuda::tiles

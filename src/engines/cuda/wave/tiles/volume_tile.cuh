// A tile of a volume with its shell (a halo of one voxel) in shared memory, solved by one block.
//
// A sweep settles all lines along an axis. The sweep along z first applies the offers of all neighbours once.
// Lanes lie along x, or on lines whose rows start in different banks.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace macareu::cuda::tiles {

/// The neighbourhood: faces, edges too, or corners too.
enum class volume_reach { faces = 1, edges = 2, corners = 3 };

template <class Key>
struct volume_tile {
  static constexpr int width = 32, height = 16, depth = 16;
  static constexpr int warps = 8;
  static constexpr int rows = (height + 2) * (depth + 2);  // with the shell's
  static constexpr int pitch = sizeof(Key) == 1 ? 36 : sizeof(Key) == 2 ? 34 : 35;
  static constexpr int size = rows * pitch;

  Key* state;
  Key* capacity;

  static __device__ int place(int z, int y, int x) {
    return ((z + 1) * (height + 2) + y + 1) * pitch + x + 1;
  }
};

/// Two opposite scans that cross, as in images; `touched` collects changes.
template <class Key, int Length>
__device__ __forceinline__ void settle_line(Key (&state)[Length], const Key (&capacity)[Length], Key before,
                                            Key after, Key& touched) {
  const auto take = [&](int i, Key& carry) {
    const Key old = state[i];
    carry = min(max(old, carry), capacity[i]);
    state[i] = carry;
    touched |= old ^ carry;
  };
#pragma unroll
  for (int i = 0; i < Length; ++i) take(i, before), take(Length - 1 - i, after);
}

/// Settles the line that begins at `first` with stride `step`.
template <class Key, int Length>
__device__ __forceinline__ void sweep_line(const volume_tile<Key>& tile, int first, int step, Key& touched) {
  Key state[Length], capacity[Length];
#pragma unroll
  for (int i = 0; i < Length; ++i) {
    state[i] = tile.state[first + i * step];
    capacity[i] = tile.capacity[first + i * step];
  }
  settle_line(state, capacity, tile.state[first - step], tile.state[first + Length * step], touched);
#pragma unroll
  for (int i = 0; i < Length; ++i) tile.state[first + i * step] = state[i];
}

template <class Key>
__device__ __forceinline__ void sweep_x(const volume_tile<Key>& tile, Key& touched) {
  using t = volume_tile<Key>;
  const int line = static_cast<int>(threadIdx.x);
  sweep_line<Key, t::width>(tile, t::place(line / t::height, line % t::height, 0), 1, touched);
}

template <class Key>
__device__ __forceinline__ void sweep_y(const volume_tile<Key>& tile, Key& touched) {
  using t = volume_tile<Key>;
  const int x = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x / 32);
  for (int z = warp; z < t::depth; z += t::warps)
    sweep_line<Key, t::height>(tile, t::place(z, 0, x), t::pitch, touched);
}

/// Offers of a slice for two voxels adjacent in y. `full`: the highest key of their 3 x 3 in the slice.
/// `beside`: the highest key that reaches the same places in the adjacent slices.
template <volume_reach Reach, class Key>
struct slice_offers {
  Key own[2], full[2], beside[2];

  __device__ __forceinline__ void read(const volume_tile<Key>& tile, int at) {
    constexpr int pitch = volume_tile<Key>::pitch;
    Key centre[4], row[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const Key* k = tile.state + at + (r - 1) * pitch;
      centre[r] = k[0];
      row[r] = max(max(k[-1], k[0]), k[1]);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      own[i] = centre[i + 1];
      full[i] = max(max(row[i], row[i + 1]), row[i + 2]);
      beside[i] = Reach == volume_reach::corners ? full[i] : max(max(centre[i], row[i + 1]), centre[i + 2]);
    }
  }
};

/// A thread has two columns along z. A barrier separates all reads from the writes.
template <volume_reach Reach, class Key>
__device__ __forceinline__ void sweep_z_and_around(const volume_tile<Key>& tile, Key& touched) {
  using t = volume_tile<Key>;
  constexpr int step = (t::height + 2) * t::pitch;
  const int x = static_cast<int>(threadIdx.x & 31), y = 2 * static_cast<int>(threadIdx.x / 32);
  const int first = t::place(0, y, x);
  Key state[2][t::depth], capacity[2][t::depth], ends[2][2];
  slice_offers<Reach, Key> below, here, above;
  below.read(tile, first - step);
  here.read(tile, first);
#pragma unroll
  for (int i = 0; i < 2; ++i) ends[i][0] = below.own[i];
#pragma unroll
  for (int z = 0; z < t::depth; ++z) {
    above.read(tile, first + (z + 1) * step);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      capacity[i][z] = tile.capacity[first + z * step + i * t::pitch];
      state[i][z] = min(max(max(here.full[i], below.beside[i]), above.beside[i]), capacity[i][z]);
      touched |= here.own[i] ^ state[i][z];
    }
    below = here;
    here = above;
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    ends[i][1] = here.own[i];
    settle_line(state[i], capacity[i], ends[i][0], ends[i][1], touched);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int z = 0; z < t::depth; ++z) tile.state[first + z * step + i * t::pitch] = state[i][z];
}

template <class Key>
__device__ __forceinline__ void sweep_z(const volume_tile<Key>& tile, Key& touched) {
  using t = volume_tile<Key>;
  const int x = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x / 32);
  for (int y = warp; y < t::height; y += t::warps)
    sweep_line<Key, t::depth>(tile, t::place(0, y, x), (t::height + 2) * t::pitch, touched);
}

/// All axes once; true if anything rose.
template <volume_reach Reach, class Key>
__device__ __forceinline__ bool sweep(const volume_tile<Key>& tile) {
  Key touched = 0;
  if constexpr (Reach == volume_reach::faces)
    sweep_z(tile, touched);
  else
    sweep_z_and_around<Reach>(tile, touched);
  __syncthreads();
  sweep_y(tile, touched);
  __syncthreads();
  sweep_x(tile, touched);
  return __syncthreads_or(touched != 0);
}

}  // namespace macareu::cuda::tiles

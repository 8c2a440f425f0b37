// A tile's capacities, markers and the best edges that may leave it, from the images.
#pragma once

#include "engines/cuda/wave/contraction/tile_memory.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda::contraction {

/// May rows be read or written by such packs?
template <class Pack, class T>
bool packed_rows(const view<T>& image) {
  const auto whole = [](std::uintptr_t bytes) { return bytes % alignof(Pack) == 0; };
  const auto steps_whole = [&](int64_t count, int64_t step) {
    return count == 1 || whole(static_cast<std::uintptr_t>(step) * sizeof(T));
  };
  return image.step_x == 1 && whole(reinterpret_cast<std::uintptr_t>(image.data)) &&
         steps_whole(image.height, image.step_y) && steps_whole(image.depth, image.step_z);
}

/// Only types of 32 and 64 bits may be floating.
template <class Key, int Count>
__device__ pack<Key, Count> keys_of(const key_map<Key>& map, pack<Key, Count> bits) {
  if constexpr (sizeof(Key) <= 2) return flipped(bits, map.flip);
#pragma unroll
  for (int i = 0; i < Count; ++i) bits.at[i] = map.key(bits.at[i]);
  return bits;
}
template <class Key, int Count>
__device__ pack<Key, Count> bits_of(const key_map<Key>& map, pack<Key, Count> keys) {
  if constexpr (sizeof(Key) <= 2) return flipped(keys, map.flip);
#pragma unroll
  for (int i = 0; i < Count; ++i) keys.at[i] = map.bits(keys.at[i]);
  return keys;
}

/// Four keys of a row; zeros beyond the image.
template <class Key>
__device__ pack<Key, 4> load_keys(const view<const Key>& image, const key_map<Key>& map, site first, bool packed) {
  pack<Key, 4> bits{};
  if (first.z >= image.depth || first.y >= image.height || first.x >= image.width) return bits;
  if (packed && first.x + 4 <= image.width)
    return keys_of(map, *reinterpret_cast<const pack<Key, 4>*>(&image[first]));
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first.x + i < image.width) bits.at[i] = map.key(image[{first.z, first.y, first.x + i}]);
  return bits;
}

/// Zeros around the capacities. Four pixels before a row are also those after the row above it.
template <class Key, class Shape>
__device__ void clear_rim() {
  constexpr int row_packs = Shape::mask_row / 4, slice_packs = Shape::mask_slice / 4;
  auto* packs = reinterpret_cast<pack<Key, 4>*>(tile_memory<Key, Shape>::mask());
  for (int i = threadIdx.x; i < Shape::mask_size / 4; i += Shape::threads) {
    const int column = i % row_packs, y = i % slice_packs / row_packs, z = i / slice_packs;
    const bool inside = column > 0 && y > 0 && y <= Shape::height &&
                        (Shape::depth == 1 ? z == 0 : z > 0 && z <= Shape::depth);
    if (!inside) packs[i] = {};
  }
}

/// Fills the tile's capacities; returns the thread's starts, four pixels each from pixel 4 * (thread + k * threads).
template <class Key, class Shape>
struct tile_starts {
  static constexpr int packs = Shape::pixels / 4 / Shape::threads;
  pack<Key, 4> at[packs];

  __device__ static int first_pixel(int k) { return 4 * (threadIdx.x + k * Shape::threads); }

  __device__ void load(const bottleneck_problem<Key>& problem, tile_place<Shape> place, bool packed) {
    clear_rim<Key, Shape>();
#pragma unroll
    for (int k = 0; k < packs; ++k) {
      const int p = first_pixel(k);
      const site first = place.at(p / (Shape::width * Shape::height), p / Shape::width % Shape::height, p % Shape::width);
      const auto capacity = load_keys<Key>(problem.capacity, problem.map, first, packed);
      at[k] = lower(load_keys<Key>(problem.start, problem.map, first, packed), capacity);
      *reinterpret_cast<pack<Key, 4>*>(&tile_memory<Key, Shape>::mask()[Shape::mask_index(p)]) = capacity;
    }
  }
};

/// The best edge that may leave the tile at a rim pixel, through the face of this entry; 0: none.
template <class Key, class Shape>
__device__ Key potential(const bottleneck_problem<Key>& problem, tile_place<Shape> place, int entry) {
  const step s = Shape::rim_site(entry);
  const site p = place.at(s.z, s.y, s.x);
  if (!problem.capacity.contains(p)) return 0;
  const int axis = entry < 2 * Shape::face_x ? 2 : entry < 2 * (Shape::face_x + Shape::face_y) ? 1 : 0;
  const int out = (axis == 2 ? s.x : axis == 1 ? s.y : s.z) == 0 ? -1 : 1;
  constexpr int side = Shape::reach > 1, other = Shape::depth > 1 ? side : 0;
  Key best = 0;
#pragma unroll
  for (int u = -other; u <= other; ++u)
#pragma unroll
    for (int v = -side; v <= side; ++v) {
      if (1 + u * u + v * v > Shape::reach) continue;
      const site q{p.z + (axis == 0 ? out : u), p.y + (axis == 1 ? out : axis == 0 ? u : v),
                   p.x + (axis == 2 ? out : v)};
      if (!problem.capacity.contains(q)) continue;
      const Key beyond = problem.capacity_at(q);
      best = beyond > best ? beyond : best;
    }
  const Key own = problem.capacity_at(p);
  return own < best ? own : best;
}

}  // namespace macareu::cuda::contraction

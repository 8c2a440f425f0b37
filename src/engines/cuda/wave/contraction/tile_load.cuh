// Loads a tile's capacities and starts, and the best edges that may leave it.
#pragma once

#include "engines/cuda/wave/contraction/tile_memory.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda::contraction {

/// Are rows aligned for such packs?
template <class Pack, class T>
bool packed_rows(const view<T>& image) {
  const auto whole = [](std::uintptr_t bytes) { return bytes % alignof(Pack) == 0; };
  const auto steps_whole = [&](int64_t count, int64_t step) {
    return count == 1 || whole(static_cast<std::uintptr_t>(step) * sizeof(T));
  };
  return image.step_x == 1 && whole(reinterpret_cast<std::uintptr_t>(image.data)) &&
         steps_whole(image.height, image.step_y) && steps_whole(image.depth, image.step_z);
}

/// 8 and 16-bit types are integers, so their keys only flip bits.
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

/// The tile and its halo of one pixel, clipped to the image, in tile coordinates.
template <class Shape>
struct tile_window {
  int low_z, low_y, low_x;     // -1 where the image continues before the tile
  int high_z, high_y, high_x;  // exclusive; one more than the tile's size where the image continues
  site first;

  template <class T>
  __device__ tile_window(const view<T>& image, tile_place<Shape> place)
      : low_z(place.z > 0 ? -1 : 0),
        low_y(place.y > 0 ? -1 : 0),
        low_x(place.x > 0 ? -1 : 0),
        first(place.at(0, 0, 0)) {
    const auto high = [](int64_t left, int size) { return left > size ? size + 1 : static_cast<int>(left); };
    high_z = high(image.depth - first.z, Shape::depth);
    high_y = high(image.height - first.y, Shape::height);
    high_x = high(image.width - first.x, Shape::width);
  }
  __device__ bool holds(int z, int y, int x) const {
    return z >= low_z && z < high_z && y >= low_y && y < high_y && x >= low_x && x < high_x;
  }
  template <class T>
  __device__ T* at(const view<T>& image, int z, int y, int x) const {
    T* row = &image[first] + y * image.step_y;
    if constexpr (Shape::depth > 1) row += z * image.step_z;
    return row + x * image.step_x;
  }
};

/// Four keys of a row; zeros outside the image.
template <class Key, class Shape>
__device__ pack<Key, 4> load_keys(const view<const Key>& image, const key_map<Key>& map,
                                  const tile_window<Shape>& window, int pixel, bool packed) {
  const int z = pixel / (Shape::width * Shape::height), y = pixel / Shape::width % Shape::height;
  const int x = pixel % Shape::width;
  pack<Key, 4> keys{};
  if (z >= window.high_z || y >= window.high_y) return keys;
  const Key* from = window.at(image, z, y, x);
  if (packed && x + 4 <= window.high_x) return keys_of(map, *reinterpret_cast<const pack<Key, 4>*>(from));
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (x + i < window.high_x) keys.at[i] = map.key(from[i * image.step_x]);
  return keys;
}

/// Zeroes the halo of the capacities. The four pixels before a row also follow the row above.
template <class Key, class Shape>
__device__ void clear_rim() {
  constexpr int rows = Shape::mask_size / Shape::mask_row, height = Shape::height + 2;
  constexpr int packs = Shape::mask_row / 4;
  auto* packs_of_tile = reinterpret_cast<pack<Key, 4>*>(tile_memory<Key, Shape>::mask());
  for (int row = threadIdx.x; row <= rows; row += Shape::threads) {
    const int y = row % height, z = row / height;
    auto* first = packs_of_tile + row * packs;
    *first = {};
    if (row < rows && (y == 0 || y == height - 1 || (Shape::depth > 1 && (z == 0 || z > Shape::depth))))
      for (int i = 1; i < packs; ++i) first[i] = {};
  }
}

/// The thread's starts: packs of four pixels from pixel 4 * (thread + k * threads).
template <class Key, class Shape>
struct tile_starts {
  static constexpr int packs = Shape::pixels / 4 / Shape::threads;
  pack<Key, 4> at[packs];

  __device__ static int first_pixel(int k) { return 4 * (threadIdx.x + k * Shape::threads); }

  /// Also loads the tile's capacities. True if the thread's capacities all equal the first one of the tile.
  __device__ bool load(const bottleneck_problem<Key>& problem, const tile_window<Shape>& window,
                       bool packed) {
    clear_rim<Key, Shape>();
    const Key like = problem.map.key(*window.at(problem.capacity, 0, 0, 0));
    bool alike = true;
#pragma unroll
    for (int k = 0; k < packs; ++k) {
      const int p = first_pixel(k);
      const auto capacity = load_keys<Key>(problem.capacity, problem.map, window, p, packed);
      at[k] = lower(load_keys<Key>(problem.start, problem.map, window, p, packed), capacity);
      *reinterpret_cast<pack<Key, 4>*>(&tile_memory<Key, Shape>::mask()[Shape::mask_index(p)]) = capacity;
      alike &= all_are(capacity, like);
    }
    return alike;
  }
};

/// The best edge that may leave the tile at a rim pixel, through the face of this entry; 0 if none.
template <class Key, class Shape>
__device__ Key potential(const bottleneck_problem<Key>& problem, const tile_window<Shape>& window,
                         int entry) {
  const step p = Shape::rim_site(entry);
  if (!window.holds(p.z, p.y, p.x)) return 0;
  const auto key = [&](step s) { return problem.map.key(*window.at(problem.capacity, s.z, s.y, s.x)); };
  const int axis = entry < 2 * Shape::face_x                                          ? 2
                   : Shape::depth == 1 || entry < 2 * (Shape::face_x + Shape::face_y) ? 1
                                                                                      : 0;
  const int out = (axis == 2 ? p.x : axis == 1 ? p.y : p.z) == 0 ? -1 : 1;
  constexpr int side = Shape::reach > 1, other = Shape::depth > 1 ? side : 0;
  Key best = 0;
#pragma unroll
  for (int u = -other; u <= other; ++u)
#pragma unroll
    for (int v = -side; v <= side; ++v) {
      if (1 + u * u + v * v > Shape::reach) continue;
      const step q{p.z + (axis == 0 ? out : u),
                   p.y + (axis == 1   ? out
                          : axis == 0 ? u
                                      : v),
                   p.x + (axis == 2 ? out : v)};
      if (!window.holds(q.z, q.y, q.x)) continue;
      const Key beyond = key(q);
      best = beyond > best ? beyond : best;
    }
  if (!best) return 0;
  const Key own = key(p);
  return own < best ? own : best;
}

}  // namespace macareu::cuda::contraction

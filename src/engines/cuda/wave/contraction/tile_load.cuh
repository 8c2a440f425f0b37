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

/// Only types of 32 and 64 bits may be floating.
template <class Key, int Words>
__device__ pack<uint32_t, Words> keys_of(const key_map<Key>& map, const pack<uint32_t, Words>& bits) {
  if constexpr (sizeof(Key) <= 2) {
    return flipped(bits, map.flip);
  } else {
    auto keys = as_keys<Key>(bits);
#pragma unroll
    for (auto& key : keys.at) key = map.key(key);
    return as_words(keys);
  }
}
template <class Key, int Words>
__device__ pack<uint32_t, Words> bits_of(const key_map<Key>& map, const pack<uint32_t, Words>& keys) {
  if constexpr (sizeof(Key) <= 2) {
    return flipped(keys, map.flip);
  } else {
    auto bits = as_keys<Key>(keys);
#pragma unroll
    for (auto& key : bits.at) key = map.bits(key);
    return as_words(bits);
  }
}
template <class Key, int Words>
__device__ bool has_nan(const key_map<Key>& map, const pack<uint32_t, Words>& keys) {
  bool found = false;
  if constexpr (sizeof(Key) >= 4) {
    const auto all = as_keys<Key>(keys);
#pragma unroll
    for (const auto key : all.at) found |= map.is_nan(key);
  }
  return found;
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
  /// The image holds all of the tile.
  __device__ bool is_whole() const {
    return high_z >= Shape::depth && high_y >= Shape::height && high_x >= Shape::width;
  }
  /// The tile touches the border of the image (in a slice).
  __device__ bool is_at_border() const {
    return low_y == 0 || low_x == 0 || high_y <= Shape::height || high_x <= Shape::width;
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
__device__ words_of<Key, 4> load_bits(const view<const Key>& image, const tile_window<Shape>& window,
                                      int pixel) {
  const int z = pixel / (Shape::width * Shape::height), y = pixel / Shape::width % Shape::height;
  return *reinterpret_cast<const words_of<Key, 4>*>(window.at(image, z, y, 0) + pixel % Shape::width);
}
/// Four keys of a row; zeros beyond the image. Sets `nan` where one of the pixels is.
template <class Key, class Shape>
__device__ words_of<Key, 4> load_keys(const view<const Key>& image, const key_map<Key>& map,
                                      const tile_window<Shape>& window, int pixel, bool& nan) {
  const int z = pixel / (Shape::width * Shape::height), y = pixel / Shape::width % Shape::height;
  const int x = pixel % Shape::width;
  pack<Key, 4> keys{};
  if (z >= window.high_z || y >= window.high_y) return as_words(keys);
  const Key* from = window.at(image, z, y, x);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (x + i < window.high_x) keys.at[i] = map.key(from[i * image.step_x]), nan |= map.is_nan(keys.at[i]);
  return as_words(keys);
}

/// Capacities on the border of the image; zeros elsewhere.
template <class Key, class Shape>
__device__ words_of<Key, 4> border_starts(const view<const Key>& image, const tile_window<Shape>& window,
                                          int pixel, const words_of<Key, 4>& capacity) {
  const int64_t y = window.first.y + pixel / Shape::width % Shape::height;
  const int64_t x = window.first.x + pixel % Shape::width;
  if (!window.is_at_border()) return {};
  const bool row = y == 0 || y == image.height - 1;
  auto keys = as_keys<Key>(capacity);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (!row && x + i != 0 && x + i != image.width - 1) keys.at[i] = 0;
  return as_words(keys);
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
  words_of<Key, 4> at[packs];
  bool beyond = false;  // one of them lies beyond its capacity, or is NaN

  __device__ static int first_pixel(int k) { return 4 * (threadIdx.x + k * Shape::threads); }

  /// Also loads the tile's capacities, and calls meanwhile() while they are on the way. True if the thread's
  /// capacities all equal the first one of the tile.
  template <class Meanwhile>
  __device__ bool load(const bottleneck_problem<Key>& problem, const tile_window<Shape>& window, bool packed,
                       Meanwhile&& meanwhile) {
    const auto& map = problem.map;
    const Key like = map.key(*window.at(problem.capacity, 0, 0, 0));
    words_of<Key, 4> capacity[packs];
    if (packed && window.is_whole()) {
      // All are requested before the first is used.
#pragma unroll
      for (int k = 0; k < packs; ++k) {
        capacity[k] = load_bits<Key>(problem.capacity, window, first_pixel(k));
        if (!problem.from_border) at[k] = load_bits<Key>(problem.start, window, first_pixel(k));
      }
      meanwhile();
#pragma unroll
      for (int k = 0; k < packs; ++k) {
        capacity[k] = keys_of(map, capacity[k]);
        beyond |= has_nan(map, capacity[k]);
        if (problem.from_border) continue;
        at[k] = keys_of(map, at[k]);
        beyond |= has_nan(map, at[k]);
      }
    } else {
      meanwhile();
#pragma unroll
      for (int k = 0; k < packs; ++k) {
        capacity[k] = load_keys<Key>(problem.capacity, map, window, first_pixel(k), beyond);
        if (!problem.from_border) at[k] = load_keys<Key>(problem.start, map, window, first_pixel(k), beyond);
      }
    }
    if (problem.from_border) {
#pragma unroll
      for (int k = 0; k < packs; ++k)
        at[k] = border_starts<Key>(problem.capacity, window, first_pixel(k), capacity[k]);
    }
    clear_rim<Key, Shape>();
    bool alike = true;
#pragma unroll
    for (int k = 0; k < packs; ++k) {
      const auto start = at[k];
      at[k] = lower<Key>(start, capacity[k]);
      beyond |= !are_equal(start, at[k]);
      alike &= all_are(capacity[k], like);
      auto* const to = &tile_memory<Key, Shape>::mask()[Shape::mask_index(first_pixel(k))];
      *reinterpret_cast<words_of<Key, 4>*>(to) = capacity[k];
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
  const Key own = key(p);  // with the others under way
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
  return own < best ? own : best;
}

}  // namespace macareu::cuda::contraction

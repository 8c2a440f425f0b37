// How regular patterns split an image over threads. A block takes tiles of columns x rows, narrow images
// more rows and fewer columns, so that all its threads have work. A column is a group of pixels side by side,
// which a thread reads and writes at once where rows are aligned for it. Places are found by one division per
// tile and one per row and thread, none per pixel.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/view.hpp"
#include "engines/cuda/gpu.cuh"

namespace macareu::cuda {

struct pixel_tiles {
  static constexpr int threads = 256;
  static constexpr int rows_per_thread = 4;

  std::int64_t rows, height, width;
  std::int64_t across, count;  // tiles
  int log_columns;             // of a tile

  template <class T>
  pixel_tiles(const view<T>& image, int group)
      : rows(image.depth * image.height), height(image.height), width(image.width) {
    const auto groups = static_cast<std::uint64_t>((width + group - 1) / group);
    log_columns = std::bit_width(std::bit_ceil(std::min<std::uint64_t>(groups, threads))) - 1;
    across = divided(width, std::int64_t{group} << log_columns);
    count = across * divided(rows, tile_rows());
  }

  MACAREU_HD std::int64_t tile_rows() const { return rows_per_thread * (threads >> log_columns); }

  /// Blocks for a kernel that goes through the tiles: enough to fill the GPU, few enough to be cheap.
  unsigned blocks(const gpu& on) const {
    return static_cast<unsigned>(std::clamp<std::int64_t>(count, 1, 8 * on.multiprocessors));
  }

  /// visit(first pixel, number of pixels) for the groups of this thread; at a row's end there may be fewer
  /// than `Group` left.
  template <int Group, class Visit>
  __device__ void for_each_group(Visit&& visit) const {
    const int column = threadIdx.x & ((1 << log_columns) - 1), row_in_tile = threadIdx.x >> log_columns;
    for (std::int64_t tile = blockIdx.x; tile < count; tile += gridDim.x) {
      const std::int64_t down = tile / across;
      const std::int64_t x = (((tile - down * across) << log_columns) + column) * Group;
      if (x >= width) continue;
      const int pixels = width - x < Group ? static_cast<int>(width - x) : Group;
#pragma unroll 1
      for (int i = 0; i < rows_per_thread; ++i) {
        const std::int64_t row = down * tile_rows() + i * (threads >> log_columns) + row_in_tile;
        if (row >= rows) continue;
        const std::int64_t z = rows == height ? 0 : row / height;
        visit(site{z, row - z * height, x}, pixels);
      }
    }
  }

 private:
  static std::int64_t divided(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
};

/// Pixels that a thread takes at once: 16 bytes of the widest type, but not more than `most`.
template <class... T>
constexpr int group_of(int most) {
  return std::min(most, static_cast<int>(16 / std::max({sizeof(T)...})));
}

/// Do all groups of this size begin at a multiple of their bytes?
template <class T>
bool has_aligned_groups(const view<T>& image, int group) {
  const auto bytes = static_cast<std::int64_t>(group * sizeof(T));
  const auto even = [&](std::int64_t step) {
    return step * static_cast<std::int64_t>(sizeof(T)) % bytes == 0;
  };
  return image.step_x == 1 && reinterpret_cast<std::uintptr_t>(image.data) % bytes == 0 &&
         (image.height == 1 || even(image.step_y)) && (image.depth == 1 || even(image.step_z));
}

template <class T, int Group>
struct alignas(Group * sizeof(T)) pixel_group {
  T value[Group];
};

/// One access where groups are aligned, else pixel by pixel: `aligned` is the same in all threads.
template <int Group, class T>
__device__ pixel_group<T, Group> load_group(const view<const T>& image, site p, bool aligned) {
  using group = pixel_group<T, Group>;
  const T* const first = &image[p];
  if (aligned) return *reinterpret_cast<const group*>(first);
  group loaded;
#pragma unroll
  for (int i = 0; i < Group; ++i) loaded.value[i] = first[i * image.step_x];
  return loaded;
}

template <int Group, class T>
__device__ void store_group(const view<T>& image, site p, bool aligned, const pixel_group<T, Group>& values) {
  T* const first = &image[p];
  if (aligned) {
    *reinterpret_cast<pixel_group<T, Group>*>(first) = values;
    return;
  }
#pragma unroll
  for (int i = 0; i < Group; ++i) first[i * image.step_x] = values.value[i];
}

}  // namespace macareu::cuda

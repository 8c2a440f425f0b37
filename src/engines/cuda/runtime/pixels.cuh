// Distribution of an image over threads, for regular patterns. A block processes tiles of columns x rows.
// Narrow images have more rows and fewer columns, so that all threads have work. A column is a group of
// adjacent pixels, which a thread loads and stores at once where rows are aligned. Coordinates cost one
// division per tile and thread, two in volumes, none per pixel.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/ceil_div.hpp"
#include "core/view.hpp"
#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

/// First pixels of a thread's groups in a tile.
struct tile_places {
  static constexpr int count = tuning::pixel_groups_of_a_thread;
  site row[count];
  std::int64_t index, next_index;  // row-major index of the first; distance to the next
};

struct pixel_tiles {
  static constexpr int threads = tuning::pixel_threads;
  static constexpr int rows_per_thread = tile_places::count;

  std::int64_t rows, height, width;
  std::int64_t across, count;  // tiles
  int log_columns;             // of a tile

  template <class T>
  pixel_tiles(const view<T>& image, int group)
      : rows(image.depth * image.height), height(image.height), width(image.width) {
    const auto groups = static_cast<std::uint64_t>(ceil_div(width, group));
    log_columns = std::bit_width(std::bit_ceil(std::min<std::uint64_t>(groups, threads))) - 1;
    across = ceil_div(width, std::int64_t{group} << log_columns);
    count = across * ceil_div(rows, tile_rows());
  }

  MACAREU_HD std::int64_t tile_rows() const { return rows_per_thread * (threads >> log_columns); }

  /// Blocks for a kernel that loops over the tiles.
  unsigned blocks(const gpu& on) const {
    return static_cast<unsigned>(
        std::clamp<std::int64_t>(count, 1, tuning::looping_blocks * on.multiprocessors));
  }
  /// One block per tile.
  unsigned all_blocks() const {
    return static_cast<unsigned>(std::clamp<std::int64_t>(count, 1, std::numeric_limits<int>::max()));
  }

  /// visit(first pixel, number of pixels) for the groups of this thread. The last group of a row may have
  /// fewer than `Group` pixels.
  template <int Group, class Visit>
  __device__ void for_each_group(Visit&& visit) const {
    for_each_tile<Group>([](const tile_places&) { return false; }, visit);
  }

  /// The same, but calls all(places) first where all groups of this thread in a tile are complete. So all can
  /// be loaded before the first is used. Calls visit only if some are incomplete or all() returns false.
  template <int Group, class All, class Visit>
  __device__ void for_each_tile(All&& all, Visit&& visit) const {
    const int column = threadIdx.x & ((1 << log_columns) - 1), row_in_tile = threadIdx.x >> log_columns;
    const int next_row = threads >> log_columns;
    for (std::int64_t tile = blockIdx.x; tile < count; tile += gridDim.x) {
      const std::int64_t down = quotient(tile, across);
      const std::int64_t x = (((tile - down * across) << log_columns) + column) * Group;
      const std::int64_t row = down * tile_rows() + row_in_tile;
      if (x >= width || row >= rows) continue;
      const std::int64_t z = rows == height ? 0 : quotient(row, height);
      site p{z, row - z * height, x};
      if (row + (rows_per_thread - 1) * next_row < rows && x + Group <= width) {
        tile_places places{.index = row * width + x, .next_index = next_row * width};
#pragma unroll
        for (int i = 0; i < rows_per_thread; ++i) {
          places.row[i] = p;
          step_down(p, next_row);
        }
        if (all(places)) continue;
        p = places.row[0];
      }
      const int pixels = width - x < Group ? static_cast<int>(width - x) : Group;
#pragma unroll 1
      for (std::int64_t i = 0; i < rows_per_thread && row + i * next_row < rows; ++i) {
        visit(p, pixels);
        step_down(p, next_row);
      }
    }
  }

 private:
  /// 64-bit division takes five times as long, and few images need it.
  static __device__ std::int64_t quotient(std::int64_t a, std::int64_t b) {
    if (((a | b) >> 32) == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
    return a / b;
  }
  __device__ void step_down(site& p, int by) const {
    p.y += by;
    if (rows == height) return;
    while (p.y >= height) {
      p.y -= height;
      ++p.z;
    }
  }
};

/// Pixels of a group: 16 bytes of the widest type, at most `most`.
template <class... T>
constexpr int group_of(int most) {
  return std::min(most, static_cast<int>(16 / std::max({sizeof(T)...})));
}

/// Are all groups of this size aligned to their size in bytes?
template <class T>
bool has_aligned_groups(const view<T>& image, int group) {
  const auto bytes = static_cast<std::int64_t>(group * sizeof(T));
  const auto even = [&](std::int64_t step) {
    return step * static_cast<std::int64_t>(sizeof(T)) % bytes == 0;
  };
  return image.step_x == 1 && reinterpret_cast<std::uintptr_t>(image.data) % bytes == 0 &&
         (image.height == 1 || even(image.step_y)) && (image.depth == 1 || even(image.step_z));
}

/// Is the image dense?
template <class T>
bool has_no_gaps(const view<T>& image) {
  return image.step_x == 1 && (image.height == 1 || image.step_y == image.width) &&
         (image.depth == 1 || image.step_z == image.height * image.width);
}

template <class T, int Group>
struct alignas(Group * sizeof(T)) pixel_group {
  T value[Group];
};

template <class T, int Group>
using group_bits = std::conditional_t<
    sizeof(T) * Group == 16, uint4,
    std::conditional_t<sizeof(T) * Group == 8, uint2,
                       std::conditional_t<sizeof(T) * Group == 4, std::uint32_t, pixel_group<T, Group>>>>;

/// One access to an aligned group.
template <int Group, class T>
__device__ pixel_group<T, Group> load_whole(const T* first) {
  return std::bit_cast<pixel_group<T, Group>>(*reinterpret_cast<const group_bits<T, Group>*>(first));
}

template <class T, int Group>
__device__ void store_whole(T* first, const pixel_group<T, Group>& values) {
  using bits = group_bits<T, Group>;
  *reinterpret_cast<bits*>(first) = std::bit_cast<bits>(values);
}

/// One access where groups are aligned, else pixel by pixel. `aligned` is uniform across threads.
template <int Group, class T>
__device__ pixel_group<T, Group> load_group(const view<const T>& image, site p, bool aligned) {
  const T* const first = &image[p];
  if (aligned) return load_whole<Group>(first);
  pixel_group<T, Group> loaded;
#pragma unroll
  for (int i = 0; i < Group; ++i) loaded.value[i] = first[i * image.step_x];
  return loaded;
}

template <int Group, class T>
__device__ void store_group(const view<T>& image, site p, bool aligned, const pixel_group<T, Group>& values) {
  T* const first = &image[p];
  if (aligned) return store_whole(first, values);
#pragma unroll
  for (int i = 0; i < Group; ++i) first[i * image.step_x] = values.value[i];
}

template <class T, int Group>
struct tile_groups {
  pixel_group<T, Group> row[tile_places::count];
};

template <int Group, class T>
__device__ tile_groups<T, Group> load_tile(const view<const T>& image, const tile_places& places) {
  tile_groups<T, Group> loaded;
#pragma unroll
  for (int i = 0; i < places.count; ++i) loaded.row[i] = load_whole<Group>(&image[places.row[i]]);
  return loaded;
}

}  // namespace macareu::cuda

// Converts byte images of one class to bits and finds the parts inside tiles in the same kernel. This saves a
// launch and a read of the bits. Wider pixels would take registers that the union-find needs.
#pragma once

#include "engines/cuda/component/inside_tiles.cuh"
#include "engines/cuda/component/pixel_planes.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda::labels {

/// Returns whether this thread has read a set pixel. All loads of a thread are issued before the first use.
template <class Shape, class Rule, class T>
__device__ bool read_rows(const tile_grid& grid, const tile_place& at, row_layout layout, const Rule& rule,
                          const view<const T>& image, tile_rows<Shape>& tile) {
  static_assert(Shape::deep == 1 && !Shape::classes && sizeof(T) == 1, "for bytes of images of one class");
  constexpr int per_row = 64 / piece, pieces = Shape::rows * per_row / inside_threads<Shape>;
  const auto first_x = std::int64_t{at.x} * 64, first_y = std::int64_t{at.y} * Shape::height;
  const int t = static_cast<int>(threadIdx.x), in_row = t % per_row;
  const auto row_of = [&](int i) { return (i * inside_threads<Shape> + t) / per_row; };
  std::uint32_t seen = 0;
  const auto keep = [&](int i, std::uint32_t bits) {
    seen |= bits;
    reinterpret_cast<std::uint16_t*>(tile.set[in_row / 2])[2 * row_of(i) + in_row % 2] =
        static_cast<std::uint16_t>(bits);
  };
  if (layout != row_layout::any && first_x + 64 <= grid.width && first_y + Shape::height <= grid.height) {
    loaded_group<T> loaded[pieces][groups<T>];
#pragma unroll
    for (int i = 0; i < pieces; ++i)
      loaded[i][0] = load_whole<piece>(image.at(0, first_y + row_of(i)) + first_x + in_row * piece);
#pragma unroll
    for (int i = 0; i < pieces; ++i) keep(i, set_bits<Rule, T>(rule, loaded[i]));
  } else {
#pragma unroll 1
    for (int i = 0; i < pieces; ++i) {
      const site p{0, first_y + row_of(i), first_x + in_row * piece};
      const auto left = p.y < grid.height ? grid.width - p.x : 0;
      const int pixels = left < piece ? (left > 0 ? static_cast<int>(left) : 0) : piece;
      keep(i, set_bits(rule, image, p, pixels, layout != row_layout::any));
    }
  }
  return seen != 0;
}

/// Writes the bits of a tile's rows for later kernels.
template <class Shape>
__device__ void write_rows(const tile_grid& grid, const label_memory& memory, const tile_place& at,
                           const tile_rows<Shape>& tile) {
  for (int i = static_cast<int>(threadIdx.x); i < Shape::rows; i += inside_threads<Shape>)
    if (const int y = at.y * Shape::height + i; y < grid.height)
      memory.planes[grid.word(0, y, at.x)] = std::uint64_t{tile.set[1][i]} << 32 | tile.set[0][i];
}

/// Blocks per multiprocessor.
template <class Shape>
constexpr int read_blocks = tuning::label_threads_held / inside_threads<Shape>;

template <class Shape, class Rule, class T>
__global__ __launch_bounds__(inside_threads<Shape>,
                             read_blocks<Shape>) void read_and_join(tile_grid grid, row_layout layout,
                                                                    Rule rule, view<const T> image,
                                                                    label_memory memory) {
  __shared__ tile_rows<Shape> tile;
  follow();
  if (blockIdx.x == 0 && threadIdx.x == 0) *memory.sections_done = 0;
  const tile_place at(grid, blockIdx.x);
  const bool any = __syncthreads_or(read_rows(grid, at, layout, rule, image, tile));
  write_rows(grid, memory, at, tile);
  if (any)
    join_rows(grid, memory, at, tile);
  else
    write_no_parts<Shape>(grid, memory, at);
}

}  // namespace macareu::cuda::labels

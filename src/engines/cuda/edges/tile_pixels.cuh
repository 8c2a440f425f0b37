// The shape of a tile of `edges`, and its pixels in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

struct edge_tile {
  static constexpr int margin = 2;                                                   // of smoothed pixels
  static constexpr int columns = tuning::edge_columns, wide = columns + 2 * margin;  // written, smoothed
  static constexpr int high = 32, rows = high - 2 * margin;                          // a lane for every row
  static constexpr int threads = tuning::edge_threads;
  static constexpr int walk_down = tuning::edge_walk_down, walk_along = tuning::edge_walk_along,
                       walk_derived = tuning::edge_walk_derived;
  static constexpr int along = ceil_div(wide, walk_along);  // walks of a row
  static constexpr int pitch = walk_along * along;          // odd: rows lie in different banks
  static_assert(high == 32 && high % walk_down == 0 && pitch % 2 == 1 && threads % 32 == 0);

  static constexpr int sum_pitch(int reach_x) { return pitch + 2 * reach_x; }
  template <class Value>
  static constexpr std::size_t bytes(int reach_x) {
    return sizeof(double) * static_cast<std::size_t>(2 + high * sum_pitch(reach_x)) +
           sizeof(Value) * static_cast<std::size_t>(high * pitch);
  }
};

/// Pixels of a tile in shared memory, relative to one of them.
template <class Value>
struct tile_pixels {
  const Value* at;
  __device__ Value operator()(int, int dy, int dx) const { return at[dy * edge_tile::pitch + dx]; }
};

/// A pixel and its neighbours, in registers.
template <class Value>
struct held_pixels {
  Value row[3][3];
  __device__ Value operator()(int, int dy, int dx) const { return row[dy + 1][dx + 1]; }
};

/// The rows and columns of a tile that are in the image.
struct tile_bounds {
  int first_row, end_row, first_column, end_column;

  __device__ bool has(int row, int column) const {
    return row >= first_row && row < end_row && column >= first_column && column < end_column;
  }
  /// The place of the nearest pixel inside.
  __device__ int place(int row, int column) const {
    return min(max(row, first_row), end_row - 1) * edge_tile::pitch +
           min(max(column, first_column), end_column - 1);
  }
};

/// Where a tile with its margin lies in an image.
struct edge_place {
  std::int64_t top, left, height, width;

  __device__ bool is_inside(int more_y, int more_x) const {
    return top >= more_y && left >= more_x && top + edge_tile::high + more_y <= height &&
           left + edge_tile::wide + more_x <= width;
  }
  __device__ tile_bounds bounds() const {
    const auto first = [](std::int64_t begin) { return begin < 0 ? static_cast<int>(-begin) : 0; };
    const auto end = [](std::int64_t left, int most) { return left < most ? static_cast<int>(left) : most; };
    return {first(top), end(height - top, edge_tile::high), first(left), end(width - left, edge_tile::wide)};
  }
};

/// Calls visit(row, column) for all smoothed pixels. Called by all threads.
template <class Visit>
__device__ void over_tile(Visit&& visit) {
  for (int i = threadIdx.x; i < edge_tile::high * edge_tile::wide; i += edge_tile::threads) {
    const int row = i / edge_tile::wide;
    visit(row, i - row * edge_tile::wide);
  }
}

/// Replaces pixels outside the image by the nearest pixel inside.
template <class Value>
__device__ void repeat_ends(const tile_bounds& inside, Value* values) {
  over_tile([&](int row, int column) {
    if (!inside.has(row, column)) values[row * edge_tile::pitch + column] = values[inside.place(row, column)];
  });
  __syncthreads();
}

}  // namespace macareu::cuda

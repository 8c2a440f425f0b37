// The tiles of the contraction: size, and numbering of pixels, directions and rims.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/ceil_div.hpp"
#include "core/site.hpp"
#include "core/view.hpp"
#include "engines/cuda/wave/contraction/words.cuh"

namespace macareu::cuda::contraction {

struct step {
  int z, y, x;
};

/// visit(constant 0), ..., visit(constant Count - 1).
template <int Count, class Visit>
__device__ void each(Visit&& visit) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (visit(std::integral_constant<int, I>{}), ...); }
  (std::make_integer_sequence<int, Count>{});
}

/// Sizes are powers of two. A warp owns a band: 32 columns of 8 rows of one slice. Pixels are numbered row by
/// row. In shared memory a halo of zeros surrounds the capacities and stops every path.
template <int Width, int Height, int Depth, int Reach>
struct tile_shape {
  static constexpr int width = Width, height = Height, depth = Depth, reach = Reach;
  static constexpr int pixels = Width * Height * Depth;
  static constexpr int band_rows = 8, strips = Width / 32;
  static constexpr int threads = pixels / band_rows;
  static_assert(Width % 32 == 0 && Height % band_rows == 0 && pixels <= 4096);

  /// Roots of basins are not adjacent. Groups of 2^Reach mutually adjacent pixels partition the tile, with
  /// one root each at most.
  static constexpr int basins = pixels >> Reach;

  /// One of each pair of opposite directions; the first is to the right.
  static constexpr step forward(int wanted) {
    int seen = 0;
    if (wanted == 0) return {0, 0, 1};
    for (int z = 0; z <= (Depth > 1); ++z)
      for (int y = z ? -1 : 0; y <= 1; ++y)
        for (int x = z || y ? -1 : 2; x <= 1; ++x)
          if (z + y * y + x * x <= Reach && ++seen == wanted) return {z, y, x};
    return {0, 0, 0};
  }
  static constexpr int directions = Depth > 1 ? (Reach == 1 ? 3 : Reach == 2 ? 9 : 13) : 2 * Reach;

  static constexpr int offset(step s) { return (s.z * Height + s.y) * Width + s.x; }
  __device__ static int forward_offset(int direction) {
    int found = 0;
    each<directions>([&](auto d) {
      if (direction == d) found = offset(forward(d));
    });
    return found;
  }
  __device__ static constexpr bool holds(int z, int y, int x) {
    return z >= 0 && z < Depth && y >= 0 && y < Height && x >= 0 && x < Width;
  }

  static constexpr int mask_row = Width + 4, mask_slice = (Height + 2) * mask_row;
  static constexpr int mask_size = (Depth > 1 ? Depth + 2 : 1) * mask_slice + 4;
  static constexpr int mask_offset(step s) { return s.z * mask_slice + s.y * mask_row + s.x; }
  __device__ static constexpr int mask_index(int pixel) {
    const int x = pixel % Width, y = pixel / Width % Height, z = pixel / (Width * Height);
    return (z + (Depth > 1)) * mask_slice + (y + 1) * mask_row + 4 + x;
  }

  /// Rim pixels face by face: x low, x high, y low, y high, z low, z high. Pixels on edges have several
  /// entries; rim_entry returns one of them.
  static constexpr int face_x = Height * Depth, face_y = Width * Depth,
                       face_z = Depth > 1 ? Width *Height : 0;
  static constexpr int rim_entries = 2 * (face_x + face_y + face_z);
  static constexpr int rim_per_thread = ceil_div(rim_entries, threads);
  __device__ static step rim_site(int entry) {
    if (entry < 2 * face_x) {
      const int i = entry % face_x;
      return {i / Height, i % Height, entry < face_x ? 0 : Width - 1};
    }
    entry -= 2 * face_x;
    if (Depth == 1 || entry < 2 * face_y) {
      const int i = entry % face_y;
      return {i / Width, entry < face_y ? 0 : Height - 1, i % Width};
    }
    entry -= 2 * face_y;
    const int i = entry % (Width * Height);
    return {entry < face_z ? 0 : Depth - 1, i / Width, i % Width};
  }
  __device__ static int rim_entry(step at) {
    if (at.x == 0 || at.x == Width - 1) return (at.x ? face_x : 0) + at.z * Height + at.y;
    if (at.y == 0 || at.y == Height - 1) return 2 * face_x + (at.y ? face_y : 0) + at.z * Width + at.x;
    return 2 * (face_x + face_y) + (at.z ? face_z : 0) + at.y * Width + at.x;
  }

  /// A component that stays open touches the rim, which bounds the number of nodes.
  static constexpr int inner = (Width - 2) * (Height - 2) * (Depth > 1 ? Depth - 2 : 1);
  static constexpr int most_nodes = pixels - inner < basins ? pixels - inner : basins;
  using index = std::conditional_t<(most_nodes < 255), uint8_t, uint16_t>;
};

/// The thread's pixels: `first`, and seven below it.
template <class Shape>
struct band {
  int lane = static_cast<int>(threadIdx.x) % 32;
  int strip = static_cast<int>(threadIdx.x) / 32 % Shape::strips;
  int first_row = static_cast<int>(threadIdx.x) / 32 / Shape::strips * Shape::band_rows;
  int x = strip * 32 + lane;
  int y = first_row % Shape::height, z = first_row / Shape::height;
  int first = first_row * Shape::width + x;

  __device__ int pixel(int row) const { return first + row * Shape::width; }
};

/// Tiles along each axis. Divides tile numbers by multiplication: n / d is the upper half of n * (2^64 / d +
/// 1) for all n and d of 32 bits (d > 1).
class tile_grid {
 public:
  tile_grid(uint32_t across_, uint32_t down_, uint32_t deep_)
      : across(across_),
        down(down_),
        deep(deep_),
        by_across_(~0ull / across_ + 1),
        by_down_(~0ull / down_ + 1) {}

  MACAREU_HD uint32_t tiles() const { return across * down * deep; }
  __device__ uint32_t row_of(uint32_t tile) const { return divide(tile, by_across_); }
  __device__ uint32_t slice_of(uint32_t row) const { return divide(row, by_down_); }

  uint32_t across, down, deep;

 private:
  __device__ static uint32_t divide(uint32_t number, unsigned long long inverse) {
    return inverse ? static_cast<uint32_t>(__umul64hi(inverse, number)) : number;
  }
  unsigned long long by_across_, by_down_;
};

template <class Shape>
struct tile_place {
  uint32_t x, y, z = 0;

  __device__ tile_place(const tile_grid& grid, uint32_t tile) {
    y = grid.row_of(tile);
    x = tile - y * grid.across;
    if constexpr (Shape::depth > 1) {
      z = grid.slice_of(y);
      y -= z * grid.down;
    }
  }
  __device__ site at(int pz, int py, int px) const {
    return {static_cast<int64_t>(z) * Shape::depth + pz, static_cast<int64_t>(y) * Shape::height + py,
            static_cast<int64_t>(x) * Shape::width + px};
  }
};

}  // namespace macareu::cuda::contraction

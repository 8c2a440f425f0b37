// Geometry of tiles in the image and in shared memory.
//
// A cell is a coordinate relative to the tile's first pixel; cells include the rim of neighbours' pixels.
// With a skew, row r of the tile begins `skew * r` pixels further left in the image, so a tile is a
// parallelogram. Cells keep the tile's own columns:
//
//   image x = x of the tile + cell.x - skew * cell.y
//
// Each row of tiles begins unskewed, so one more column of tiles (two with skew 2) covers the image. The
// first column extends left of the image. Nothing wraps around.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "core/macros.hpp"
#include "core/site.hpp"

namespace macareu::cuda {

struct cell {
  int z, y, x;
  MACAREU_HD cell operator+(cell by) const { return {z + by.z, y + by.y, x + by.x}; }
  MACAREU_HD cell operator-(cell by) const { return {z - by.z, y - by.y, x - by.x}; }
};

template <int Depth, int Height, int Width, int RimZ, int RimX, int Skew>
struct tile_shape {
  static_assert(Skew * Height % Width == 0, "tiles above each other are whole tiles apart");
  static constexpr int depth = Depth, height = Height, width = Width;
  static constexpr int rim_z = RimZ, rim_y = 1, rim_x = RimX, skew = Skew;
  static constexpr int box_depth = depth + 2 * rim_z, box_height = height + 2, box_width = width + 2 * rim_x;
  static constexpr int own_cells = depth * height * width, box_cells = box_depth * box_height * box_width;

  /// Elements from row to row: an odd number of 4-byte banks (8-byte elements: an odd number of elements). So
  /// the 32 pixels of a column, skewed or upright, lie in 32 different banks.
  static constexpr int pitch(std::size_t element) {
    const auto conflicts = [&](int columns) {
      return element <= 4 ? static_cast<std::size_t>(columns) * element % 8 != 4 : columns % 2 == 0;
    };
    int columns = box_width;
    while (conflicts(columns)) ++columns;
    return columns;
  }
  static constexpr int slots(std::size_t element) { return box_depth * box_height * pitch(element); }

  template <class T>
  __device__ static int slot(cell c) {
    constexpr int columns = pitch(sizeof(T));
    return ((c.z + rim_z) * box_height + c.y + rim_y) * columns + c.x + rim_x;
  }
  /// Offset of slots from a cell to the cell `by` away.
  template <class T>
  __device__ static int slots_between(cell by) {
    constexpr int columns = pitch(sizeof(T));
    return (by.z * box_height + by.y) * columns + by.x;
  }

  __device__ static bool owns(cell c) {
    return c.z >= 0 && c.z < depth && c.y >= 0 && c.y < height && c.x >= 0 && c.x < width;
  }
  __device__ static cell own_cell(int i) {
    const int row = i / width;
    return {depth == 1 ? 0 : row / height, depth == 1 ? row : row % height, i % width};
  }
  __device__ static cell box_cell(int i) {
    const int row = i / box_width;
    return {box_depth == 1 ? 0 : row / box_height - rim_z, (box_depth == 1 ? row : row % box_height) - rim_y,
            i % box_width - rim_x};
  }
  /// The cell of the neighbour by (dz, dy, dx) in the image.
  __device__ static cell neighbour(cell c, int dz, int dy, int dx) {
    return {c.z + dz, c.y + dy, c.x + dx + skew * dy};
  }
};

/// One tile of a grid in the image.
template <class Shape>
struct placed_tile {
  cell at;         // in the grid of tiles
  site origin;     // of cell (0, 0, 0)
  cell low, high;  // the image's extent relative to the origin, clamped to `far`

  __device__ site place(cell c) const {
    return {origin.z + c.z, origin.y + c.y, origin.x + c.x - Shape::skew * c.y};
  }
  __device__ bool row_inside(int z, int y) const {
    return z >= low.z && z < high.z && y >= low.y && y < high.y;
  }
  __device__ bool column_inside(int image_x) const { return image_x >= low.x && image_x < high.x; }
  __device__ bool inside(cell c) const {
    return row_inside(c.z, c.y) && column_inside(c.x - Shape::skew * c.y);
  }
  /// The tile and its rim lie inside the image, as for most tiles. Inner loops are specialised for this case.
  __device__ bool whole() const {
    return low.z <= -Shape::rim_z && high.z >= Shape::depth + Shape::rim_z && low.y <= -Shape::rim_y &&
           high.y >= Shape::height + Shape::rim_y && low.x <= -Shape::rim_x - Shape::skew * Shape::height &&
           high.x >= Shape::width + Shape::rim_x + Shape::skew;
  }
};

template <class Shape>
struct tile_grid {
  std::int64_t depth, height, width;  // of the image
  unsigned deep, down, across;        // tiles

  static tile_grid over(std::int64_t depth, std::int64_t height, std::int64_t width) {
    const auto tiles = [](std::int64_t pixels, int side) {
      return static_cast<unsigned>(ceil_div(pixels, side));
    };
    const std::int64_t skewed =
        width + std::int64_t{Shape::skew} * (std::min<std::int64_t>(height, Shape::height) - 1);
    return {depth,
            height,
            width,
            tiles(depth, Shape::depth),
            tiles(height, Shape::height),
            tiles(skewed, Shape::width)};
  }

  MACAREU_HD std::int64_t count() const { return std::int64_t{deep} * down * across; }
  __device__ unsigned number(cell at) const {
    return (static_cast<unsigned>(at.z) * down + static_cast<unsigned>(at.y)) * across +
           static_cast<unsigned>(at.x);
  }
  __device__ placed_tile<Shape> tile(unsigned number) const {
    const unsigned row = number / across;
    const cell at{static_cast<int>(row / down), static_cast<int>(row % down),
                  static_cast<int>(number % across)};
    const site origin{std::int64_t{at.z} * Shape::depth, std::int64_t{at.y} * Shape::height,
                      std::int64_t{at.x} * Shape::width};
    return {at,
            origin,
            {before(origin.z), before(origin.y), before(origin.x)},
            {after(depth - origin.z), after(height - origin.y), after(width - origin.x)}};
  }
  /// The tile that owns a rim cell. `by`: the side of the tile that the cell lies on, -1, 0 or 1 per axis.
  __device__ unsigned neighbour(cell at, cell by) const {
    return number(
        {at.z + by.z, at.y + by.y, at.x + by.x - by.y * (Shape::skew * Shape::height / Shape::width)});
  }

 private:
  static constexpr std::int64_t far = 1024;
  __device__ static int before(std::int64_t origin) {
    return static_cast<int>(origin < far ? -origin : -far);
  }
  __device__ static int after(std::int64_t rest) {
    return static_cast<int>(rest > far ? far : rest < -far ? -far : rest);
  }
};

}  // namespace macareu::cuda

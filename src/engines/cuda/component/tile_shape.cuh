// Tiles of an image for labelling. Pixels are bits, 64 to a word; a tile is one word wide.
//
// The unit of labelling is the run: consecutive set bits. With full connectivity, pixels of adjacent rows
// belong to one object wherever the OR of the rows has a run. Runs are therefore those of thick rows, the OR
// of 2 (in volumes 2 x 2) pixel rows. These have 2.7 times fewer runs at density 1/2. With several classes a
// run also ends where the class changes, and rows are not ORed.
#pragma once

#include <cstdint>

#include "core/ceil_div.hpp"
#include "core/macros.hpp"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda::labels {

template <int RowsY, int RowsZ, int Down, int Deep, int Reach, bool Classes = false>
struct tile_shape {
  static constexpr int rows_y = RowsY, rows_z = RowsZ;  // pixel rows of a thick row
  static constexpr int rows_of_thick = RowsY * RowsZ;
  static constexpr int down = Down, deep = Deep;  // thick rows of a tile
  static constexpr int thick_rows = Down * Deep;
  static constexpr int height = RowsY * Down, depth = RowsZ * Deep, rows = height * depth;
  static constexpr bool classes = Classes;

  /// Runs of one class never begin at adjacent pixels, so two pixels share a slot.
  static constexpr int slot_shift = Classes ? 0 : 1, slots = 64 >> slot_shift;

  /// Offsets from a row to the earlier rows that touch it.
  static constexpr int offsets = Deep == 1 ? 1 : Reach > 1 ? 4 : 2;
  MACAREU_HD static constexpr int dy(int o) { return o == 1 ? 0 : o == 3 ? 1 : -1; }
  MACAREU_HD static constexpr int dz(int o) { return o == 0 ? 0 : -1; }
  /// Whether pixels of adjacent columns are neighbours too.
  MACAREU_HD static constexpr bool diagonal(int o) { return Reach > (o < 2 ? 1 : 2); }

  /// Bit planes of an image. With classes, set pixels alone do not determine the links.
  static constexpr int planes = Classes ? 2 + 3 * offsets : 1;
};

template <int Reach, bool Classes = false>
using thin_image = tile_shape<1, 1, tuning::thin_image_rows, 1, Reach, Classes>;
template <int Reach, bool Classes = false>
using thin_volume = tile_shape<1, 1, tuning::label_volume_rows, tuning::thin_volume_slices, Reach, Classes>;

using full_image = tile_shape<2, 1, tuning::thick_image_rows, 1, 2>;
using face_image = thin_image<1>;
using full_volume = tile_shape<2, 2, tuning::label_volume_rows, tuning::thick_volume_slices, 3>;
using face_volume = thin_volume<1>;
using edge_volume = thin_volume<2>;
using class_image = thin_image<2, true>;
using class_volume = thin_volume<3, true>;

/// Planes of an image with classes: set pixels, pixels joined to their predecessor, and three planes per
/// offset. These hold the pixels joined to the pixel at the offset, to the one before and to the one after.
enum plane : int { set_plane, run_plane, first_link_plane };

struct tile_grid {
  std::int64_t width{};
  int height{}, depth{};           // of the image
  int across{}, down{}, deep{};    // tiles
  std::uint32_t words{}, tiles{};  // words of a plane, row after row

  MACAREU_HD std::uint32_t word(int z, int y, int x) const {
    return (static_cast<std::uint32_t>(z) * height + y) * across + x;
  }
};

template <class Shape>
tile_grid grid_of(std::int64_t depth, std::int64_t height, std::int64_t width) {
  tile_grid grid{width, static_cast<int>(height), static_cast<int>(depth)};
  grid.across = static_cast<int>(ceil_div(width, 64));
  grid.down = ceil_div(grid.height, Shape::height);
  grid.deep = ceil_div(grid.depth, Shape::depth);
  grid.words = static_cast<std::uint32_t>(depth * height * grid.across);
  grid.tiles = static_cast<std::uint32_t>(std::int64_t{grid.across} * grid.down * grid.deep);
  return grid;
}

struct tile_place {
  int x, y, z;  // in tiles
  MACAREU_HD tile_place(const tile_grid& grid, std::uint32_t tile) {
    const std::uint32_t row = tile / grid.across;
    x = static_cast<int>(tile - row * grid.across);
    z = static_cast<int>(row / grid.down);
    y = static_cast<int>(row - static_cast<std::uint32_t>(z) * grid.down);
  }
};

struct object_count {
  std::uint32_t objects;
};

/// Data passed between the kernels. The first pixel in raster order identifies an object; `id` is its slot in
/// the image. The least id of an object's parts is the object's id.
struct label_memory {
  std::uint64_t* planes;       // of bits
  std::uint64_t* part_firsts;  // first pixels of the parts that tiles found
  std::uint64_t* firsts;       // first pixels of objects
  std::uint32_t* parent;       // by id, of parts alone: a forest of parts
  std::uint16_t*
      run_part;  // by thick row and slot: the part of a run, by the slot of its first pixel in the tile
  std::uint16_t* firsts_before;  // by word: firsts in earlier words of its section
  std::uint32_t* sections;       // firsts in earlier sections
  std::uint32_t* sections_done;  // one word: blocks that have counted firsts
  object_count* count;           // in host memory
};

using tuning::section_words;

}  // namespace macareu::cuda::labels

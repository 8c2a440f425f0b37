// The parts of a stained slide: slide.cpp puts them together.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <macareu/generate.hpp>

#include "instances/slide_shapes.hpp"

namespace macareu::formula::stained {

/// A structure of the tissue; there is at most one in every cell of 512 x 512 pixels. Rows of cells are
/// shifted.
struct structure {
  enum class kind : std::uint8_t { gland, vessel, follicle } what = kind::gland;
  blob outline;
  std::int64_t row = 0, column = 0;  ///< of its cell
};

/// Tissue and glass, structures and stroma.
class tissue_map {
 public:
  static constexpr int structure_shift = 9;
  static constexpr std::int64_t structure_side = std::int64_t{1} << structure_shift;
  /// Pixels that a structure and its nuclei reach beyond its cell, at most.
  static constexpr std::int64_t structure_reach = 64;

  tissue_map(const extents& shape, const generate_options& options);

  bool covers(std::int64_t y, std::int64_t x) const { return cover_at(y, x) >= edge_; }
  /// 0..65535: solid growth at low values, glands at high ones, stroma between.
  std::int32_t zone_at(std::int64_t y, std::int64_t x) const;
  static constexpr std::int32_t solid_below = 24500, glands_above = 31500;
  /// Rows that fibres descend along 32 columns.
  std::int32_t slope_at(std::int64_t y, std::int64_t x) const;

  /// The structures of all cells that reach into a box.
  void find_structures(const box& area, std::vector<structure>& found) const;
  /// Draws everything but cells.
  void draw(const canvas& to, const std::vector<structure>& structures) const;

 private:
  std::int32_t cover_at(std::int64_t y, std::int64_t x) const;
  std::int32_t edge_for(const extents& shape, int coverage) const;
  /// Pixels that a row of structures is shifted to the right, so that they form no grid.
  std::int64_t structure_shift_of(std::int64_t row) const;
  bool structure_in(std::int64_t row, std::int64_t column, structure& found) const;
  void draw_row(std::int64_t y, std::int64_t left, std::int64_t width, std::uint16_t* row) const;
  void draw_structure(const canvas& to, const structure& part) const;

  std::uint64_t seed_;
  int cover_shift_;
  std::int32_t edge_ = 0;
  std::array<lattice, 4> cover_, fibres_;
  std::array<lattice, 2> zone_, bend_, grain_;
  lattice dirt_;
};

/// Pen strokes, dust and areas out of focus.
class slide_marks {
 public:
  slide_marks(const extents& shape, const generate_options& options, const tissue_map& tissue);

  /// Whether a mark lies within `reach` pixels: no cell is drawn there.
  bool hides(std::int64_t y, std::int64_t x, std::int64_t reach) const;
  void draw(const canvas& to) const;
  /// Whether a box has pixels out of focus.
  bool blurs(const box& area) const;
  /// How much a pixel is out of focus, 0 to `one`.
  std::int32_t blur_at(std::int64_t y, std::int64_t x) const;

 private:
  struct stroke {
    std::int64_t y, x;      ///< where it starts
    std::int32_t cos, sin;  ///< its direction
    std::int64_t length, half_width;
    std::int64_t curve;  ///< of the parabola that it follows, in 2^-32
    absorbance ink;
  };
  struct position {
    std::int64_t along, off;  ///< pixels from the start, and from the middle line
  };
  static position on(const stroke& pen, std::int64_t y, std::int64_t x);
  static std::int64_t outside(const stroke& pen, const position& at);
  bool speck_in(std::int64_t row, std::int64_t column, blob& speck, std::int32_t& dark) const;
  void draw_stroke(const canvas& to, const stroke& pen) const;

  std::uint64_t seed_;
  lattice ink_, edge_;
  std::vector<stroke> strokes_;
  std::vector<blob> blurs_;
};

struct nucleus {
  blob outline;
  std::uint64_t slot = 0;  ///< a place of its own in the order of drawing
  std::int32_t haematoxylin = 0;
  bool vesicular = false;
  std::int32_t distance = 0;  ///< to other nuclei of the grid, in percent of the mean radii
  std::uint32_t rank = 0;     ///< of two that are too close, the lower one stays
};

/// Nuclei and red cells. A nucleus depends on nothing farther than its structure and a few cells of the grid.
class slide_cells {
 public:
  /// Pixels from the centre of a nucleus to its outline, at most.
  static constexpr std::int64_t reach = 28;

  slide_cells(const extents& shape, const generate_options& options, const tissue_map& tissue,
              const slide_marks& marks);

  struct workspace {
    std::vector<structure> structures;
    std::vector<nucleus> grid, found;
    std::vector<bool> present;

    /// With room for blocks of 512 x 512 pixels, so that find() does not allocate.
    workspace() {
      structures.reserve(16);
      grid.reserve(1024);
      found.reserve(2048);
      present.reserve(1024);
    }
  };
  /// All nuclei that reach into a box, in the order of drawing, in space.found; the structures, too.
  void find(const box& area, workspace& space) const;
  std::uint64_t slots() const { return ring_slots_ + grid_.rows * grid_.columns; }

  void draw_red_cells(const canvas& to, const std::vector<structure>& structures) const;
  /// Draws nuclei; owners gets index + 1 of each pixel's nucleus, in the form of the canvas.
  void draw(const canvas& to, const std::vector<nucleus>& nuclei, std::uint16_t* owners) const;

 private:
  /// Cells of 2^shift pixels that the image and a rim around it lie in.
  struct cell_range {
    std::int64_t row, column;
    std::uint64_t rows, columns;

    cell_range(const extents& shape, int shift);
    std::uint64_t index(std::int64_t at_row, std::int64_t at_column) const {
      return static_cast<std::uint64_t>(at_row - row) * columns +
             static_cast<std::uint64_t>(at_column - column);
    }
  };

  bool candidate(std::int64_t row, std::int64_t column, const std::vector<structure>& structures,
                 nucleus& made) const;
  void add_ring(const structure& gland, const box& centres, std::vector<nucleus>& found) const;
  void draw_nucleus(const canvas& to, const nucleus& each, std::uint16_t index, std::uint16_t* owners) const;

  std::uint64_t seed_;
  const tissue_map& tissue_;
  const slide_marks& marks_;
  lattice coarse_, fine_;
  cell_range structures_, grid_;
  std::uint64_t ring_slots_;
};

/// The truth's numbers by slot: 1, 2, ... in raster order of first visible pixels, 0 where nothing shows.
std::vector<std::uint32_t> number_nuclei(const slide_cells& cells, const extents& shape,
                                         const generate_options& options);

/// Pixels around a tile that its colours depend on.
inline constexpr std::int64_t optics_halo = 10;
/// Rows of a canvas that develop() needs in `spare`, beside those of the canvas.
inline constexpr std::int64_t optics_rows = 9;
/// Turns absorbances into the colours of a tile, which is the canvas less the halo. Changes the canvas.
void develop(const canvas& from, std::uint16_t* spare, const box& tile, const slide_marks& marks,
             std::uint64_t seed, std::uint8_t* rgb, std::int64_t row_bytes);

}  // namespace macareu::formula::stained

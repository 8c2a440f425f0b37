// The parts of a stained slide: slide.cpp puts them together.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <macareu/generate.hpp>

#include "instances/hash.hpp"
#include "instances/rows.hpp"

namespace macareu::formula::stained {

/// Formulas see an image's pixel (0, 0) here, so that what lies beyond its rim has coordinates above 0.
inline constexpr std::int64_t origin = std::int64_t{1} << 20;

/// What random numbers are for.
enum class use : std::uint64_t {
  cover,
  zone,
  fibres,
  bend,
  grain,
  dirt,
  structures,
  cells,
  chromatin,
  red_cells,
  dust,
  marks,
  ink,
  sensor
};

constexpr std::uint64_t key_for(std::uint64_t seed, use what, std::uint64_t index = 0) {
  return key_of(seed, stream::stained, static_cast<std::uint64_t>(what) << 32) + golden * index;
}

/// Random numbers in sequence.
class dice {
 public:
  explicit constexpr dice(std::uint64_t key) : state_(key) {}
  constexpr dice(std::uint64_t key, std::int64_t row, std::int64_t column)
      : state_(mix64(key + golden * static_cast<std::uint64_t>(row)) ^ static_cast<std::uint64_t>(column)) {}

  /// Uniform from low to high, both included.
  constexpr std::int32_t between(std::int32_t low, std::int32_t high) {
    state_ += golden;
    const auto bits = mix64(state_) >> 32;
    return low + static_cast<std::int32_t>(bits * static_cast<std::uint64_t>(high - low + 1) >> 32);
  }
  constexpr bool per_cent(std::int32_t share) { return between(0, 99) < share; }

 private:
  std::uint64_t state_;
};

/// 2^14 times sine of angle / 256 of a turn, by Bhaskara's formula: within 0.2 %.
constexpr std::int32_t sine(std::int32_t angle) {
  const auto part = angle & 127, product = part * (128 - part);
  const auto value = (4 * product << 14) / (20480 - product);
  return (angle & 128) != 0 ? -value : value;
}
constexpr std::int32_t cosine(std::int32_t angle) { return sine(angle + 64); }

/// The whole part of a square root of less than 2^32.
constexpr std::int64_t root(std::int64_t of) {
  std::int64_t found = 0;
  for (std::int64_t bit = 1 << 15; bit > 0; bit >>= 1)
    if ((found + bit) * (found + bit) <= of) found += bit;
  return found;
}

/// 1 in levels of a blob, coordinates of its unit circle and shares.
inline constexpr std::int32_t one = 4096;

/// An ellipse with an irregular outline. Lengths are in sixteenths of a pixel, the direction in 2^-14.
struct blob {
  std::int64_t y = 0, x = 0;
  std::int32_t along = 16, across = 16;
  std::int32_t cos = 1 << 14, sin = 0;
  /// Weights of the harmonics of order 3 and 4 that bend the outline.
  std::array<std::int32_t, 4> lobes{};

  /// At a point of the unit circle's frame: 0 at the centre, below `one` inside.
  constexpr std::int32_t level_at(std::int32_t u, std::int32_t v) const {
    // Farther out the harmonics would exceed the radius.
    constexpr auto far = 2 * one, rim = 8 * one / 5;
    if (u > far || u < -far || v > far || v < -far) return 4 * one;
    const auto uu = u * u >> 12, vv = v * v >> 12, uv = u * v >> 12, radius = uu + vv;
    if (radius > rim) return radius;
    const auto real3 = u * (uu - 3 * vv) >> 12, imaginary3 = v * (3 * uu - vv) >> 12;
    const auto real4 = ((uu - vv) * (uu - vv) - 4 * uv * uv) >> 12, imaginary4 = 4 * uv * (uu - vv) >> 12;
    return radius +
           ((lobes[0] * real3 + lobes[1] * imaginary3 + lobes[2] * real4 + lobes[3] * imaginary4) >> 12);
  }

  /// Draws the lobes, each at most `most` / 4096.
  constexpr void bend(dice& random, std::int32_t most) {
    for (auto& lobe : lobes) lobe = random.between(-most, most);
  }
  constexpr void turn(std::int32_t angle) {
    cos = cosine(angle);
    sin = sine(angle);
  }
  /// Turns it to a direction; components are below 2^15.
  constexpr void aim(std::int64_t dy, std::int64_t dx) {
    const auto length = std::max<std::int64_t>(root(dy * dy + dx * dx), 1);
    cos = static_cast<std::int32_t>((dx << 14) / length);
    sin = static_cast<std::int32_t>((dy << 14) / length);
  }
};

/// Levels of a blob at pixels.
class blob_levels {
 public:
  explicit blob_levels(const blob& of)
      : of_(of), per_along_((1 << 24) / of.along), per_across_((1 << 24) / of.across) {}

  std::int32_t operator()(std::int64_t y, std::int64_t x) const {
    const auto dy = 16 * y - of_.y, dx = 16 * x - of_.x;
    const auto along = (dx * of_.cos + dy * of_.sin) >> 14, across = (dy * of_.cos - dx * of_.sin) >> 14;
    return of_.level_at(static_cast<std::int32_t>(along * per_along_ >> 12),
                        static_cast<std::int32_t>(across * per_across_ >> 12));
  }

 private:
  blob of_;
  std::int32_t per_along_, per_across_;
};

/// Absorbance in red, green and blue, in 1/1024.
using absorbance = std::array<std::int32_t, 3>;

constexpr absorbance stains(std::int32_t haematoxylin, std::int32_t eosin) {
  // 1024 times (.65, .70, .29) and (.2159, .8012, .5581).
  return {(666 * haematoxylin + 221 * eosin) >> 10, (717 * haematoxylin + 820 * eosin) >> 10,
          (297 * haematoxylin + 571 * eosin) >> 10};
}

/// Absorbances of a box of pixels, interleaved.
struct canvas {
  box area;
  std::uint16_t* values;

  std::int64_t width() const { return area.right - area.left; }
  std::uint16_t* row(std::int64_t y) const { return values + 3 * (y - area.top) * width(); }
  std::uint16_t* pixel(std::int64_t y, std::int64_t x) const { return row(y) + 3 * (x - area.left); }
  /// Calls visit(y, x, pixel) for the pixels within `reach` of a point that lie on the canvas.
  template <class Visit>
  void around(std::int64_t y0, std::int64_t x0, std::int64_t reach, const Visit& visit) const {
    for (auto y = std::max(y0 - reach, area.top); y < std::min(y0 + reach + 1, area.bottom); ++y)
      for (auto x = std::max(x0 - reach, area.left); x < std::min(x0 + reach + 1, area.right); ++x)
        visit(y, x, pixel(y, x));
  }
};

inline void put(std::uint16_t* pixel, const absorbance& value) {
  for (int c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint16_t>(value[c]);
}

/// A structure of the tissue; there is at most one in every cell of 512 x 512 pixels.
struct structure {
  enum class kind : std::uint8_t { gland, vessel, follicle } what = kind::gland;
  blob outline;
  std::int64_t row = 0, column = 0;  ///< of its cell
};

/// Tissue and glass, structures and stroma.
class tissue_map {
 public:
  static constexpr int structure_shift = 9;
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

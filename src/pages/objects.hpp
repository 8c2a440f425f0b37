// Objects of a label image as a page loads them: outlines in tiles, and how much of each pixel of a small
// picture they cover.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <macareu/shapes.hpp>

#include "columns.hpp"

namespace macareu::pages {

/// Side of a tile of outlines. An object on the border of two tiles has a part in each.
inline constexpr std::int64_t object_tile_side = 2048;
/// The pictures of covered area start with the image halved so many times.
inline constexpr int raster_halvings = 4;

/// The labels of one tile.
struct object_tile {
  std::int64_t slice = 0, row = 0, column = 0;
  image labels = {};
};

object_tile read_object_tile(image_source& labels, std::int64_t slice, std::int64_t row, std::int64_t column);

/// Outlines of the tile's objects, in pixels of the whole image.
std::vector<shape> shapes_of(const object_tile& tile);

std::int64_t pixels_of(const shape& object);

/// The tile's file: for each shape its row in the table plus one (0 if there is none), or without a table its
/// label, then its rings as first corners and lengths of edges.
std::string packed_shapes(const std::vector<shape>& shapes, const object_tile& tile, const row_index* rows);

/// Where objects are and how many pixels they have: sums over their parts.
class object_places {
 public:
  explicit object_places(const row_index& objects);
  void add(const std::vector<shape>& shapes);
  /// Columns x, y and size, in the order of rows. Objects that the image lacks have size 0.
  table columns() const;

 private:
  const row_index& objects_;
  std::vector<std::uint32_t> size_;
  std::vector<double> x_, y_;
};

/// A share from 0 to 255 in steps of 17, rounded up: files are small, and the least share can be seen.
inline std::uint8_t shown_share(std::uint8_t share) {
  return static_cast<std::uint8_t>((share + 16) / 17 * 17);
}

/// The share of each pixel that objects cover, from 0 to 255, in levels that start at raster_halvings.
class covered_area {
 public:
  covered_area(std::int64_t height, std::int64_t width);
  void add(const object_tile& tile);
  /// Fills smaller levels.
  void finish();

  struct level {
    std::int64_t height = 0, width = 0;
    std::vector<std::uint8_t> share = {};
  };
  const std::vector<level>& levels() const { return levels_; }
  /// The bytes of a tile of a level, as shown_share() gives them; empty if nothing is covered.
  static std::string packed(const level& from, std::int64_t y, std::int64_t x);

 private:
  std::vector<level> levels_;
};

}  // namespace macareu::pages

// Polygons of objects, from operators whose description has `.shapes`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/pieces.hpp>

namespace macareu {

/// A corner of pixels: x grows to the right, y downwards. The pixel in row r and column c covers the square
/// from (c, r) to (c + 1, r + 1).
struct corner {
  std::int64_t x = 0, y = 0;
  bool operator==(const corner&) const = default;
};

/// Closed: the last corner is followed by the first, which is not repeated. The first is the topmost corner,
/// of several the leftmost.
using corner_ring = std::vector<corner>;

/// An exterior ring, then holes. By the formula of Gauss in x and y the exterior has a positive area and
/// holes a negative one, as GeoJSON wants it (RFC 7946).
struct polygon {
  std::vector<corner_ring> rings;
  bool operator==(const polygon&) const = default;
};

/// All parts of one object.
struct shape {
  std::uint64_t label = 0;
  std::vector<polygon> parts;
  bool operator==(const shape&) const = default;
};

using take_shape = std::function<void(const shape&)>;

/// Runs an operator that gives polygons. Objects are in the order of labels.
std::vector<shape> compute_shapes(const operator_description& about, std::span<const const_image_view> inputs,
                                  const arguments& given = {}, const context& how = {});

/// take(object) as soon as an object is complete, in the raster order of last pixels: memory holds only those
/// that are not. Exceptions of `take` end the call.
void compute_shapes(const operator_description& about, std::span<const const_image_view> inputs,
                    const take_shape& take, const arguments& given = {}, const context& how = {});

/// The same for images in pieces.
void compute_shapes_in_pieces(const operator_description& about, std::span<image_source* const> inputs,
                              const take_shape& take, const arguments& given = {}, const context& how = {},
                              const piece_options& options = {});

/// Twice the area that a ring encloses, negative for holes.
std::int64_t doubled_area(const corner_ring& ring);

/// Appends the geometry of a shape as GeoJSON: {"type":"Polygon","coordinates":[...]}, or a MultiPolygon.
/// `first` is the place of the image's first pixel.
void append_geojson(std::string& to, const shape& one, const corner& first = {});

enum class shape_format { geojson, wkt, csv };

/// Text of shapes, one after another: head, one item for each shape, tail. Coordinates are multiplied by
/// `scale`.
class shape_text {
 public:
  explicit shape_text(shape_format format, double scale = 1) : format_(format), scale_(scale) {}

  /// Append to the text.
  void begin(std::string& to) const;
  void add(std::string& to, const shape& one);
  void end(std::string& to) const;

 private:
  shape_format format_;
  double scale_;
  bool first_ = true;
};

}  // namespace macareu

// Outlines of nuclei, cells and tissue as GeoJSON that QuPath takes.
#pragma once

#include <string>
#include <string_view>

#include <macareu/shapes.hpp>

#include "slides/outputs/nuclei_table.hpp"

namespace macareu::slides {

/// Text of a FeatureCollection, one feature after another. Coordinates are pixels of level 0.
class outline_text {
 public:
  /// `first` is the place of the labels' first pixel.
  explicit outline_text(const corner& first = {}) : first_(first) {}

  void begin(std::string& to) const { to += "{\"type\":\"FeatureCollection\",\"features\":["; }
  void end(std::string& to) const { to += "\n]}\n"; }

  /// A nucleus, or a cell with the geometry of its nucleus as text.
  void add(std::string& to, const nuclei_table& rows, const shape& outline, std::string_view nucleus = {});
  /// A region of tissue.
  void add_tissue(std::string& to, const uuid& id, const shape& outline, double area_um2);
  void geometry(std::string& to, const shape& outline) const { append_geojson(to, outline, first_); }

 private:
  void begin_feature(std::string& to, const uuid& id, const shape& outline);

  corner first_;
  bool any_ = false;
};

}  // namespace macareu::slides

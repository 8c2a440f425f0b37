#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include <macareu/shapes.hpp>

namespace macareu {
namespace {

template <class Number>
void append(std::string& to, Number value) {
  char text[32];
  to.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// Writes corners with a separator between x and y.
struct corner_text {
  std::string& to;
  double scale;
  char between;
  corner first = {};

  void number(std::int64_t value) const {
    if (scale == 1)
      append(to, value);
    else
      append(to, static_cast<double>(value) * scale);
  }
  void operator()(const corner& at) const {
    number(at.x + first.x);
    to += between;
    number(at.y + first.y);
  }
};

/// The rings of a polygon, closed, in nested lists.
void append_rings(std::string& to, const polygon& of, const corner_text& corner, std::string_view open,
                  std::string_view close, char outer_open, char outer_close) {
  to += outer_open;
  for (const auto& ring : of.rings) {
    if (&ring != &of.rings[0]) to += ',';
    to += outer_open;
    for (const auto& at : ring) {
      to += open;
      corner(at);
      to += close;
      to += ',';
    }
    to += open;
    corner(ring[0]);
    to += close;
    to += outer_close;
  }
  to += outer_close;
}

void append_geometry(std::string& to, const shape& of, const corner_text& corner, std::string_view open,
                     std::string_view close, char outer_open, char outer_close) {
  const bool several = of.parts.size() > 1;
  if (several) to += outer_open;
  for (const auto& part : of.parts) {
    if (&part != &of.parts[0]) to += ',';
    append_rings(to, part, corner, open, close, outer_open, outer_close);
  }
  if (several) to += outer_close;
}

void append_geojson(std::string& to, const shape& of, const corner_text& corner) {
  to += of.parts.size() > 1 ? "{\"type\":\"MultiPolygon\",\"coordinates\":"
                            : "{\"type\":\"Polygon\",\"coordinates\":";
  append_geometry(to, of, corner, "[", "]", '[', ']');
  to += '}';
}

}  // namespace

void append_geojson(std::string& to, const shape& one, const corner& first) {
  append_geojson(to, one, corner_text{to, 1, ',', first});
}

std::int64_t doubled_area(const corner_ring& ring) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const auto &a = ring[i], &b = ring[i + 1 < ring.size() ? i + 1 : 0];
    sum += a.x * b.y - b.x * a.y;
  }
  return sum;
}

void shape_text::begin(std::string& to) const {
  if (format_ == shape_format::geojson) to += "{\"type\":\"FeatureCollection\",\"features\":[";
  if (format_ == shape_format::csv) to += "label,part,ring,x,y\n";
}

void shape_text::add(std::string& to, const shape& one) {
  const bool several = one.parts.size() > 1;
  if (format_ == shape_format::geojson) {
    to += first_ ? "\n" : ",\n";
    first_ = false;
    to += "{\"type\":\"Feature\",\"properties\":{\"label\":";
    append(to, one.label);
    to += "},\"geometry\":";
    append_geojson(to, one, corner_text{to, scale_, ','});
    to += '}';
  } else if (format_ == shape_format::wkt) {
    to += several ? "MULTIPOLYGON " : "POLYGON ";
    append_geometry(to, one, {to, scale_, ' '}, "", "", '(', ')');
    to += '\n';
  } else {
    for (std::size_t part = 0; part < one.parts.size(); ++part)
      for (std::size_t ring = 0; ring < one.parts[part].rings.size(); ++ring)
        for (const auto& at : one.parts[part].rings[ring]) {
          append(to, one.label);
          to += ',';
          append(to, part);
          to += ',';
          append(to, ring);
          to += ',';
          corner_text{to, scale_, ','}(at);
          to += '\n';
        }
  }
}

void shape_text::end(std::string& to) const {
  if (format_ == shape_format::geojson) to += "\n]}\n";
}

}  // namespace macareu

#include <algorithm>
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

/// Writes corners: x and y with what stands around and between them. A corner is appended at once: appending
/// its parts one by one took longer than the digits.
struct corner_text {
  std::string& to;
  double scale;
  char between;
  std::string_view open = {}, close = {};
  corner first = {};

  char* number(char* at, std::int64_t value) const {
    constexpr std::ptrdiff_t longest = 32;
    if (scale == 1) return std::to_chars(at, at + longest, value).ptr;
    return std::to_chars(at, at + longest, static_cast<double>(value) * scale).ptr;
  }
  void operator()(const corner& at) const {
    char text[80];
    char* end = std::ranges::copy(open, text).out;
    end = number(end, at.x + first.x);
    *end++ = between;
    end = number(end, at.y + first.y);
    to.append(text, std::ranges::copy(close, end).out);
  }
};

/// The rings of a polygon, closed, in nested lists.
void append_rings(std::string& to, const polygon& of, const corner_text& corner, char outer_open,
                  char outer_close) {
  corner_text followed = corner;
  const std::string with_comma = std::string(corner.close) + ',';
  followed.close = with_comma;
  to += outer_open;
  for (const auto& ring : of.rings) {
    if (&ring != &of.rings[0]) to += ',';
    to += outer_open;
    for (const auto& at : ring) followed(at);
    corner(ring[0]);
    to += outer_close;
  }
  to += outer_close;
}

void append_geometry(std::string& to, const shape& of, const corner_text& corner, char outer_open,
                     char outer_close) {
  const bool several = of.parts.size() > 1;
  if (several) to += outer_open;
  for (const auto& part : of.parts) {
    if (&part != &of.parts[0]) to += ',';
    append_rings(to, part, corner, outer_open, outer_close);
  }
  if (several) to += outer_close;
}

void append_geojson(std::string& to, const shape& of, const corner_text& corner) {
  to += of.parts.size() > 1 ? "{\"type\":\"MultiPolygon\",\"coordinates\":"
                            : "{\"type\":\"Polygon\",\"coordinates\":";
  append_geometry(to, of, corner, '[', ']');
  to += '}';
}

}  // namespace

void append_geojson(std::string& to, const shape& one, const corner& first) {
  append_geojson(to, one, corner_text{to, 1, ',', "[", "]", first});
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
  if (format_ == shape_format::wkt) to += "label,WKT\n";
}

void shape_text::add(std::string& to, const shape& one) {
  const bool several = one.parts.size() > 1;
  if (format_ == shape_format::geojson) {
    to += first_ ? "\n" : ",\n";
    first_ = false;
    to += "{\"type\":\"Feature\",\"properties\":{\"label\":";
    append(to, one.label);
    to += "},\"geometry\":";
    append_geojson(to, one, corner_text{to, scale_, ',', "[", "]"});
    to += '}';
  } else if (format_ == shape_format::wkt) {
    append(to, one.label);
    to += several ? ",\"MULTIPOLYGON " : ",\"POLYGON ";
    append_geometry(to, one, {to, scale_, ' '}, '(', ')');
    to += "\"\n";
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

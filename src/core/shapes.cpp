#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <span>
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

/// Writes corners: x and y with what stands around and between them.
struct corner_text {
  std::string& to;
  double scale;
  char between;
  std::string_view open = {}, close = {};
  corner first = {};

  /// `after` follows each corner. Many corners are appended at once: appending parts one by one takes longer
  /// than their digits.
  void operator()(std::span<const corner> all, std::string_view after) const {
    std::array<char, 64 * longest> text;
    for (std::size_t done = 0; done < all.size();) {
      const auto now = all.subspan(done, std::min<std::size_t>(all.size() - done, text.size() / longest));
      to.append(text.data(), write(now, after, text.data()));
      done += now.size();
    }
  }

 private:
  static constexpr std::size_t longest_number = 32, longest = 2 * longest_number + 16;

  struct written {
    std::int64_t value = 0;
    const char* text = nullptr;
    std::size_t length = 0;
  };

  char* write(std::span<const corner> all, std::string_view after, char* at) const {
    written x, y;
    for (const auto& each : all) {
      at = std::ranges::copy(open, at).out;
      at = write(each.x + first.x, x, at);
      *at++ = between;
      at = write(each.y + first.y, y, at);
      at = std::ranges::copy(close, at).out;
      at = std::ranges::copy(after, at).out;
    }
    return at;
  }
  /// Neighbours on a ring have the same x or y, whose text is copied.
  char* write(std::int64_t value, written& last, char* at) const {
    if (last.text && value == last.value) {
      std::memmove(at, last.text, longest_number);  // a fixed length takes less time than the right one
      last.text = at;
      return at + last.length;
    }
    const auto end = scale == 1
                         ? std::to_chars(at, at + longest_number, value).ptr
                         : std::to_chars(at, at + longest_number, static_cast<double>(value) * scale).ptr;
    last = {value, at, static_cast<std::size_t>(end - at)};
    return end;
  }
};

/// The rings of a polygon, closed, in nested lists.
void append_rings(std::string& to, const polygon& of, const corner_text& corners, char outer_open,
                  char outer_close) {
  to += outer_open;
  for (const auto& ring : of.rings) {
    if (&ring != &of.rings[0]) to += ',';
    to += outer_open;
    corners(ring, ",");
    corners(std::span(ring).first(1), "");
    to += outer_close;
  }
  to += outer_close;
}

void append_geometry(std::string& to, const shape& of, const corner_text& corners, char outer_open,
                     char outer_close) {
  const bool several = of.parts.size() > 1;
  if (several) to += outer_open;
  for (const auto& part : of.parts) {
    if (&part != &of.parts[0]) to += ',';
    append_rings(to, part, corners, outer_open, outer_close);
  }
  if (several) to += outer_close;
}

void append_geojson(std::string& to, const shape& of, const corner_text& corners) {
  to += of.parts.size() > 1 ? "{\"type\":\"MultiPolygon\",\"coordinates\":"
                            : "{\"type\":\"Polygon\",\"coordinates\":";
  append_geometry(to, of, corners, '[', ']');
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
          corner_text{to, scale_, ','}(std::span(&at, 1), "\n");
        }
  }
}

void shape_text::end(std::string& to) const {
  if (format_ == shape_format::geojson) to += "\n]}\n";
}

}  // namespace macareu

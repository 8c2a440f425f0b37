// What lies around a pixel, from the words that define each border.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "operators/pictures.hpp"

namespace macareu::test {

inline const char* const border_names[] = {"constant", "nearest", "reflect", "mirror", "wrap"};

/// -1: outside a constant border.
inline std::int64_t index_around(const std::string& border, std::int64_t i, std::int64_t size) {
  while (i < 0 || i >= size) {
    if (border == "constant") return -1;
    if (border == "nearest") return std::clamp<std::int64_t>(i, 0, size - 1);
    if (border == "wrap")
      i += i < 0 ? size : -size;
    else if (border == "reflect")
      i = i < 0 ? -1 - i : 2 * size - 1 - i;
    else
      i = size == 1 ? 0 : i < 0 ? -i : 2 * size - 2 - i;
  }
  return i;
}

template <class T>
T pixel_around(const picture<T>& f, const std::string& border, T outside, std::int64_t z, std::int64_t y,
               std::int64_t x) {
  z = index_around(border, z, f.shape.depth());
  y = index_around(border, y, f.shape.height());
  x = index_around(border, x, f.shape.width());
  if (z < 0 || y < 0 || x < 0) return outside;
  return f.pixels[static_cast<std::size_t>((z * f.shape.height() + y) * f.shape.width() + x)];
}

/// value(z, y, x) for every pixel.
template <class Out, class Value>
std::vector<Out> for_pixels(const extents& shape, Value value) {
  std::vector<Out> all;
  for (std::int64_t z = 0; z < shape.depth(); ++z)
    for (std::int64_t y = 0; y < shape.height(); ++y)
      for (std::int64_t x = 0; x < shape.width(); ++x) all.push_back(value(z, y, x));
  return all;
}

}  // namespace macareu::test

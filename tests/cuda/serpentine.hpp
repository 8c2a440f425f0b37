// A wave that travels through all of an image.
#pragma once

#include <cstdint>

#include <macareu/image.hpp>

namespace macareu::test {

/// One corridor that runs up and down the image's columns, from a marker in a corner. Turned over, it is for
/// reconstruction by erosion.
template <class T>
struct serpentine {
  explicit serpentine(const extents& of_shape, bool turned_over = false)
      : mask(dtype_of<T>, of_shape), marker(dtype_of<T>, of_shape) {
    const auto width = of_shape.width(), height = of_shape.height();
    const auto value = [&](int level) { return static_cast<T>(turned_over ? 255 - level : level); };
    auto* const capacity = static_cast<T*>(mask.data());
    auto* const start = static_cast<T*>(marker.data());
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        const bool wall = x % 3 == 2 && y != (x / 3 % 2 == 0 ? height - 1 : 0);
        capacity[y * width + x] = value(wall ? 3 : 200);
        start[y * width + x] = value(x == 0 && y == 0 ? 150 : 0);
      }
  }
  image mask, marker;
};

}  // namespace macareu::test

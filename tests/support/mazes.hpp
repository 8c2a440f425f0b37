// Corridors one pixel wide that fill an image: the longest paths a wave can be made to walk.
#pragma once

#include <cstdint>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::test {

/// For every pixel its place along the corridor, counted from its first pixel, or -1 on a wall.
using corridor = std::vector<std::int64_t>;

/// Rows joined at alternating ends; in a volume every other slice is a wall with one hole. Walls are closed
/// for every connectivity.
inline corridor serpentine(const extents& shape) {
  const auto depth = shape.depth(), height = shape.height(), width = shape.width();
  corridor place(static_cast<std::size_t>(shape.pixels()), -1);
  if (place.empty()) return place;
  std::int64_t walked = 0;
  const auto step = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    place[static_cast<std::size_t>((z * height + y) * width + x)] = walked++;
  };
  bool at_right = false, at_bottom = false;
  const auto last_row = (height - 1) / 2 * 2;
  for (std::int64_t z = 0; z < depth; z += 2) {
    for (std::int64_t k = 0; k <= last_row; ++k) {
      const auto y = at_bottom ? last_row - k : k;
      if (y % 2 != 0) {
        step(z, y, at_right ? width - 1 : 0);
        continue;
      }
      for (std::int64_t i = 0; i < width; ++i) step(z, y, at_right ? width - 1 - i : i);
      at_right = !at_right;
    }
    at_bottom = !at_bottom;
    if (z + 2 < depth) step(z + 1, at_bottom ? last_row : 0, at_right ? width - 1 : 0);
  }
  return place;
}

/// The same with columns instead of rows.
inline corridor serpentine_of_columns(const extents& shape) {
  const auto depth = shape.depth(), height = shape.height(), width = shape.width();
  const auto turned = serpentine(shape.rank() == 3 ? extents{depth, width, height} : extents{width, height});
  corridor place(turned.size());
  for (std::int64_t z = 0; z < depth; ++z)
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        place[static_cast<std::size_t>((z * height + y) * width + x)] =
            turned[static_cast<std::size_t>((z * width + x) * height + y)];
  return place;
}

/// Winding inwards from the first pixel; a volume has the spiral in every other slice, unconnected.
inline corridor spiral(const extents& shape) {
  const auto height = shape.height(), width = shape.width();
  corridor place(static_cast<std::size_t>(shape.pixels()), -1);
  if (place.empty()) return place;
  for (std::int64_t z = 0; z < shape.depth(); z += 2) {
    const auto at = [&](std::int64_t y, std::int64_t x) -> std::int64_t& {
      return place[static_cast<std::size_t>((z * height + y) * width + x)];
    };
    const auto inside = [&](std::int64_t y, std::int64_t x) {
      return y >= 0 && y < height && x >= 0 && x < width;
    };
    std::int64_t y = 0, x = 0, dy = 0, dx = 1, walked = 0;
    at(y, x) = walked++;
    for (int turns = 0; turns < 2;) {
      const auto ny = y + dy, nx = x + dx, fy = ny + dy, fx = nx + dx;
      // One step on unless it leaves the image or would touch what was walked before.
      if (inside(ny, nx) && at(ny, nx) < 0 && !(inside(fy, fx) && at(fy, fx) >= 0)) {
        y = ny, x = nx, turns = 0;
        at(y, x) = walked++;
      } else {
        const auto old = dy;
        dy = dx, dx = -old, ++turns;
      }
    }
  }
  return place;
}

}  // namespace macareu::test

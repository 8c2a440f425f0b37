// Instances with one source and a long path.
#include <algorithm>

#include "instances/families.hpp"
#include "instances/rows.hpp"

namespace macareu::formula {
namespace {

/// A pair whose marker is 0, except for the first pixel, where it equals the mask.
template <class Row>
drawing from_first_pixel(const extents& shape, const generate_options& options, const Row& row) {
  return mask_and_marker(options, [=](auto z, auto y, auto* mask, auto* marker) {
    row(z, y, mask);
    if (marker == nullptr) return;
    std::fill_n(marker, shape.width(), std::uint8_t{0});
    if (z == 0 && y == 0) marker[0] = mask[0];
  });
}

}  // namespace

drawing flat(const extents& shape, const generate_options& options) {
  return from_first_pixel(
      shape, options, [=](auto, auto, auto* mask) { std::fill_n(mask, shape.width(), std::uint8_t{255}); });
}

/// Corridors two rows high, joined by gaps at alternating ends. A volume stacks such mazes, each two slices
/// deep. They join at alternating ends of the path: first at its end in the last row, then at its start.
drawing serpentine(const extents& shape, const generate_options& options) {
  constexpr std::uint8_t open = 200, wall = 5;
  const auto width = shape.width(), last = width - 1, bottom = shape.height() - 1;
  return from_first_pixel(shape, options, [=](auto z, auto y, auto* mask) {
    const auto far_end = [&](std::int64_t wall_number) { return wall_number % 2 == 0 ? last : 0; };
    if (z % 3 == 2) {
      std::fill_n(mask, width, wall);
      if (z / 3 % 2 == 0 && y == bottom) mask[far_end(bottom / 3)] = open;
      if (z / 3 % 2 == 1 && y == 0) mask[0] = open;
    } else if (y % 3 == 2) {
      std::fill_n(mask, width, wall);
      mask[far_end(y / 3)] = open;
    } else {
      std::fill_n(mask, width, open);
    }
  });
}

/// e is the distance to the border. Rings of even e are corridor, rings of odd e are wall. Swapping both at
/// the pixel below the first corner of each ring joins the rings into one spiral. An even side omits its last
/// line, so that the innermost ring is one pixel wide too.
drawing spiral(const extents& shape, const generate_options& options) {
  const auto right = (shape.width() - 1) / 2 * 2, bottom = (shape.height() - 1) / 2 * 2;
  const auto innermost = std::min(right, bottom) / 2;
  return from_first_pixel(shape, options, [=](auto, auto y, auto* mask) {
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      const auto e = std::min(std::min(y, bottom - y), std::min(x, right - x));
      const bool swapped = x == e && y == e + 1 && e < innermost;
      mask[x] = e >= 0 && (e % 2 == 0) != swapped ? 255 : 0;
    }
  });
}

/// Every other row of every other slice, joined at alternating ends into one path, one pixel thick. Even
/// slices hold the same path in alternating direction, so they join at its end and its start in turn.
drawing snake(const extents& shape, const generate_options& options) {
  const auto width = shape.width(), last = width - 1, bottom = (shape.height() - 1) / 2 * 2;
  return from_first_pixel(shape, options, [=](auto z, auto y, auto* mask) {
    const auto end_of = [&](std::int64_t row) { return row / 2 % 2 == 0 ? last : 0; };
    std::fill_n(mask, width, std::uint8_t{0});
    if (z % 2 == 1) {
      if (z + 1 == shape.depth()) return;
      if (z / 2 % 2 == 0 && y == bottom) mask[end_of(y)] = 255;
      if (z / 2 % 2 == 1 && y == 0) mask[0] = 255;
    } else if (y % 2 == 0) {
      std::fill_n(mask, width, std::uint8_t{255});
    } else if (y < bottom) {
      mask[end_of(y)] = 255;
    }
  });
}

}  // namespace macareu::formula

// The frame of every formula: pixels of u8, row by row, rows in any order on any number of threads.
#pragma once

#include <cstdint>

#include <macareu/generate.hpp>

namespace macareu::formula {

/// Calls row(z, y, first pixel's index) for every row that has pixels. `row` must not throw.
template <class Row>
void for_rows(const extents& shape, const Row& row) {
  if (shape.pixels() == 0) return;
  const auto height = shape.height(), rows = shape.depth() * height, width = shape.width();
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t r = 0; r < rows; ++r) row(r / height, r % height, r * width);
}

/// row(z, y, mask's row)
template <class Row>
instance mask_only(const extents& shape, const Row& row) {
  instance made{image(dtype::u8, shape), {}};
  auto* mask = made.mask.pixels<std::uint8_t>().data();
  for_rows(shape, [&](auto z, auto y, auto first) { row(z, y, mask + first); });
  return made;
}

/// row(z, y, mask's row, marker's row)
template <class Row>
instance mask_and_marker(const extents& shape, const Row& row) {
  instance made{image(dtype::u8, shape), image(dtype::u8, shape)};
  auto* mask = made.mask.pixels<std::uint8_t>().data();
  auto* marker = made.marker->pixels<std::uint8_t>().data();
  for_rows(shape, [&](auto z, auto y, auto first) { row(z, y, mask + first, marker + first); });
  return made;
}

}  // namespace macareu::formula

// Loops over rows of u8 pixels, in any order and on any number of threads.
#pragma once

#include <cstdint>

#include <macareu/error.hpp>
#include <macareu/generate.hpp>

namespace macareu::formula {

/// Calls visit(unit) for every unit, in chunks of `together` per thread, until the caller stops it. `visit`
/// must not throw.
template <class Visit>
void for_units(std::int64_t units, int together, const generate_options& options, const Visit& visit) {
#pragma omp parallel for schedule(dynamic, together)
  for (std::int64_t unit = 0; unit < units; ++unit)
    if (!options.stop.stop_requested()) visit(unit);
  if (options.stop.stop_requested()) throw interrupted();
}

/// Calls row(z, y, first pixel's index) for every row that has pixels. `row` must not throw.
template <class Row>
void for_rows(const extents& shape, const generate_options& options, const Row& row) {
  const auto height = shape.height(), width = shape.width();
  for_units(shape.pixels() == 0 ? 0 : shape.depth() * height, 16, options,
            [&](std::int64_t r) { row(r / height, r % height, r * width); });
}

/// row(z, y, mask's row)
template <class Row>
instance mask_only(const extents& shape, const generate_options& options, const Row& row) {
  instance made{image(dtype::u8, shape), {}};
  auto* mask = made.mask.pixels<std::uint8_t>().data();
  for_rows(shape, options, [&](auto z, auto y, auto first) { row(z, y, mask + first); });
  return made;
}

/// row(z, y, mask's row, marker's row)
template <class Row>
instance mask_and_marker(const extents& shape, const generate_options& options, const Row& row) {
  instance made{image(dtype::u8, shape), image(dtype::u8, shape)};
  auto* mask = made.mask.pixels<std::uint8_t>().data();
  auto* marker = made.marker->pixels<std::uint8_t>().data();
  for_rows(shape, options, [&](auto z, auto y, auto first) { row(z, y, mask + first, marker + first); });
  return made;
}

}  // namespace macareu::formula

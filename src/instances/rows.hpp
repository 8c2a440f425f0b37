// Loops over rows of u8 pixels, in any order and on any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include <macareu/error.hpp>

#include "core/ceil_div.hpp"
#include "instances/families.hpp"

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

/// Calls row(z, y, index of its first pixel in the region) for every row that has pixels. `row` must not
/// throw.
template <class Row>
void for_rows(const image_region& region, const generate_options& options, const Row& row) {
  const auto height = region.size[1], width = region.size[2];
  for_units(region.pixels() == 0 ? 0 : region.size[0] * height, 16, options, [&](std::int64_t r) {
    row(region.first[0] + r / height, region.first[1] + r % height, r * width);
  });
}

/// row(z, y, mask's row)
template <class Row>
drawing mask_only(const generate_options& options, const Row& row) {
  return {[=](const image_region& region, std::uint8_t* mask, std::uint8_t*, std::uint32_t*) {
    for_rows(region, options, [&](auto z, auto y, auto first) { row(z, y, mask + first); });
  }};
}

/// row(z, y, mask's row, marker's row, which is null where it is not wanted)
template <class Row>
drawing mask_and_marker(const generate_options& options, const Row& row) {
  return {[=](const image_region& region, std::uint8_t* mask, std::uint8_t* marker, std::uint32_t*) {
    for_rows(region, options, [&](auto z, auto y, auto first) {
      row(z, y, mask + first, marker == nullptr ? nullptr : marker + first);
    });
  }};
}

/// A rectangle of pixels, without its last row and column.
struct box {
  std::int64_t top, bottom, left, right;

  /// With a rim of so many pixels, as far as an image has them.
  box grown(std::int64_t rim, std::int64_t image_height, std::int64_t image_width) const {
    return {std::max(top - rim, std::int64_t{0}), std::min(bottom + rim, image_height),
            std::max(left - rim, std::int64_t{0}), std::min(right + rim, image_width)};
  }
};

/// Calls visit(tile) for every tile of a box. `visit` must not throw.
template <class Visit>
void for_tiles(const box& all, std::int64_t tile_rows, std::int64_t tile_columns,
               const generate_options& options, const Visit& visit) {
  const auto across = ceil_div(all.right - all.left, tile_columns);
  for_units(ceil_div(all.bottom - all.top, tile_rows) * across, 1, options, [&](std::int64_t unit) {
    const auto top = all.top + unit / across * tile_rows, left = all.left + unit % across * tile_columns;
    visit(box{top, std::min(top + tile_rows, all.bottom), left, std::min(left + tile_columns, all.right)});
  });
}

}  // namespace macareu::formula

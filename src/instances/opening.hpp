// Opening by a disk, for markers.
#pragma once

#include <cstdint>

#include <macareu/generate.hpp>

namespace macareu::formula {

/// Rows first .. last - 1 of an image, with as many of those around them as their opening depends on.
struct haloed_rows {
  std::int64_t first, last, width;
  std::uint8_t *above_end, *inside, *below;

  std::uint8_t* row(std::int64_t y) const {
    if (y < first) return above_end - (first - y) * width;
    return y < last ? inside + (y - first) * width : below + (y - last) * width;
  }
};

/// Rows on each side that an opening by a disk depends on.
constexpr std::int64_t opening_halo(int radius) { return 2 * radius; }
/// Bytes that open_by_disk() allocates.
std::int64_t opening_memory(int radius);

/// Opens rows of an image by the disk dx^2 + dy^2 <= radius^2; pixels outside the image do not count.
void open_by_disk(const haloed_rows& mask, std::int64_t image_height, int radius, std::uint8_t* opened,
                  const generate_options& options);

}  // namespace macareu::formula

// The pixels on the rim of a tile, numbered in raster order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/cpu/wave/grid.hpp"

namespace macareu::cpu {

/// The number of a tile's rim pixels, and the index of each.
class rim_numbering {
 public:
  rim_numbering(const tile_place& place, bool volume) : place_(place), volume_(volume) {
    const std::int64_t inner_rows = std::max(0, place.height - 2),
                       inner_columns = std::max(0, place.width - 2);
    slice_ = static_cast<std::int64_t>(place.width) * place.height;
    ring_ = slice_ - inner_rows * inner_columns;
  }

  std::int64_t count() const {
    if (!volume_) return ring_;
    const std::int64_t full = std::min(place_.depth, 2);
    return full * slice_ + (place_.depth - full) * ring_;
  }

  /// In the order in which tile_solver lists them. The pixel must be on the rim.
  std::int64_t index(int z, int y, int x) const {
    const bool whole_slice = volume_ && (z == 0 || z == place_.depth - 1);
    const std::int64_t before = volume_ && z > 0 ? slice_ + (z - 1) * ring_ : 0;
    if (whole_slice || y == 0) return before + static_cast<std::int64_t>(y) * place_.width + x;
    const std::int64_t ends = std::min(place_.width, 2);
    const std::int64_t row = before + place_.width + (y - 1) * ends;
    return y == place_.height - 1 ? row + x : row + (x == 0 ? 0 : 1);
  }

 private:
  tile_place place_;
  bool volume_;
  std::int64_t slice_ = 0, ring_ = 0;
};

}  // namespace macareu::cpu

// Shape of the whole image, and origin of the part that an engine holds.
#pragma once

#include <cstdint>

#include "core/macros.hpp"
#include "core/site.hpp"

namespace macareu {

struct frame {
  std::int64_t depth{}, height{}, width{};  // of the whole
  site origin{};                            // of the part's first pixel

  MACAREU_HD std::int64_t pixels() const { return depth * height * width; }
  /// In raster order.
  MACAREU_HD std::int64_t index_of(site p) const { return (p.z * height + p.y) * width + p.x; }
  MACAREU_HD site site_at(std::int64_t index) const {
    return {index / width / height, index / width % height, index % width};
  }
  /// A volume's first and last slice are border too.
  MACAREU_HD bool on_border(site p, bool volume) const {
    return p.x == 0 || p.y == 0 || p.x == width - 1 || p.y == height - 1 ||
           (volume && (p.z == 0 || p.z == depth - 1));
  }
  bool operator==(const frame&) const = default;
};

}  // namespace macareu

// Coordinates in the whole image, also where an engine works on a part of it.
#pragma once

#include <cstdint>

#include "core/macros.hpp"

namespace macareu {

struct site {
  std::int64_t z, y, x;
  bool operator==(const site&) const = default;
};

MACAREU_HD constexpr site operator+(site a, site b) { return {a.z + b.z, a.y + b.y, a.x + b.x}; }
MACAREU_HD constexpr site operator-(site a, site b) { return {a.z - b.z, a.y - b.y, a.x - b.x}; }

}  // namespace macareu

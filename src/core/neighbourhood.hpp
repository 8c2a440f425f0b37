// The neighbours of a pixel: all whose coordinates differ by at most one, in at most `reach` axes.
#pragma once

#include "core/macros.hpp"
#include "core/site.hpp"

namespace macareu {

struct neighbourhood {
  int rank = 2;
  int reach = 1;

  /// Each of dz, dy, dx is -1, 0 or 1.
  MACAREU_HD bool contains(int dz, int dy, int dx) const {
    const int axes = dz * dz + dy * dy + dx * dx;
    return axes > 0 && axes <= reach && (rank == 3 || dz == 0);
  }

  template <class Visit>
  MACAREU_HD void for_each(site p, Visit&& visit) const {
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (contains(dz, dy, dx)) visit(site{p.z + dz, p.y + dy, p.x + dx});
  }
};

}  // namespace macareu

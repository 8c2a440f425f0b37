// How many pixels an object has, and where: what decides whether it is kept.
#pragma once

#include <cstdint>

#include "patterns/tally.hpp"

namespace macareu {

struct object_size {
  using row = tally_row<1, 0, 0>;

  template <class Label>
  MACAREU_HD void add(row& to, site, const view<const Label>&) const {
    add_pixels(to, 1);
  }
  MACAREU_HD void add_pixels(row& to, std::uint64_t count) const { to.count[0] += count; }
};

/// Position of the first pixel, number of pixels, contact with the border of the image.
struct object_extent {
  using row = tally_row<2, 0, 1>;
  enum counts { pixels, on_border };

  template <class Label>
  MACAREU_HD void add(row& to, site p, const view<const Label>& labels) const {
    ++to.count[pixels];
    to.count[on_border] += p.x == 0 || p.y == 0 || p.x == labels.width - 1 || p.y == labels.height - 1 ||
                           (volume && (p.z == 0 || p.z == labels.depth - 1));
    to.stretch(0, (p.z * labels.height + p.y) * labels.width + p.x);
  }

  bool volume;
};

}  // namespace macareu

// Size and position of an object, for selection.
#pragma once

#include <cstdint>

#include "core/frame.hpp"
#include "patterns/tally.hpp"

namespace macareu {

struct object_size {
  using row = tally_row<1, 0, 0>;
  enum counts { pixels };

  template <class Label>
  MACAREU_HD void add(row& to, site, site, const view<const Label>&) const {
    add_pixels(to, 1);
  }
  MACAREU_HD void add_pixels(row& to, std::uint64_t count) const { to.count[pixels] += count; }
};

/// Position of the first pixel, number of pixels, contact with the border of the image.
struct object_extent {
  using row = tally_row<2, 0, 1>;
  enum counts { pixels, on_border };

  template <class Label>
  MACAREU_HD void add(row& to, site origin, site p, const view<const Label>&) const {
    const site there = p - origin;
    ++to.count[pixels];
    to.count[on_border] += whole.on_border(there, volume);
    to.stretch(0, whole.index_of(there));
  }
  /// Pixels from p on in one row.
  MACAREU_HD void add_row(row& to, site origin, site p, std::int64_t count) const {
    const site there = p - origin, last{there.z, there.y, there.x + count - 1};
    to.count[pixels] += static_cast<std::uint64_t>(count);
    const bool inner = !whole.on_border({there.z, there.y, 1}, volume) && whole.width > 2;
    to.count[on_border] +=
        inner ? std::uint64_t{there.x == 0} + (last.x == whole.width - 1) : static_cast<std::uint64_t>(count);
    to.stretch(0, whole.index_of(there));
    to.stretch(0, whole.index_of(last));
  }

  frame whole;
  bool volume;
};

}  // namespace macareu

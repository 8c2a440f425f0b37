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
  MACAREU_HD void add(row& to, site, const labels_beside<Label>&) const {
    add_pixels(to, 1);
  }
  MACAREU_HD void add_pixels(row& to, std::uint64_t count) const { to.count[pixels] += count; }
};

/// Position of the first pixel, number of pixels, contact with the border of the image.
struct object_extent {
  using row = tally_row<2, 0, 1>;
  enum counts { pixels, on_border };

  template <class Label>
  MACAREU_HD void add(row& to, site p, const labels_beside<Label>&) const {
    ++to.count[pixels];
    to.count[on_border] += whole.on_border(p, volume);
    to.stretch(0, whole.index_of(p));
  }
  /// Pixels from p on in one row.
  MACAREU_HD void add_row(row& to, site p, std::int64_t count) const {
    const site last{p.z, p.y, p.x + count - 1};
    to.count[pixels] += static_cast<std::uint64_t>(count);
    const bool inner = !whole.on_border({p.z, p.y, 1}, volume) && whole.width > 2;
    to.count[on_border] +=
        inner ? std::uint64_t{p.x == 0} + (last.x == whole.width - 1) : static_cast<std::uint64_t>(count);
    to.stretch(0, whole.index_of(p));
    to.stretch(0, whole.index_of(last));
  }

  frame whole;
  bool volume;
};

}  // namespace macareu

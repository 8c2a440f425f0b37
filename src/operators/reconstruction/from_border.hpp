// The start of waves from the border of the image.
#pragma once

#include <cstdint>
#include <limits>

#include "core/frame.hpp"
#include "patterns/wave.hpp"

namespace macareu {

/// The image on its border; inside, the worst value in the wave's direction. A volume's first and last slice
/// are border too.
template <direction Toward>
struct from_border {
  static constexpr bool is_border = true;
  frame whole;
  bool volume;

  template <class T>
  MACAREU_HD T operator()(site p, T value) const {
    using limits = std::numeric_limits<T>;
    if (whole.on_border(p, volume)) return value;
    if constexpr (limits::has_infinity)
      return Toward == direction::up ? -limits::infinity() : limits::infinity();
    else
      return Toward == direction::up ? limits::lowest() : limits::max();
  }
};

}  // namespace macareu

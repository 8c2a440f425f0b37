// A start for waves that come in from the border of the image.
#pragma once

#include <cstdint>
#include <limits>

#include "patterns/wave.hpp"

namespace macareu {

/// The image on its border; inside, the value that every other one is better than. A volume's first and last
/// slice are border too.
template <direction Toward>
struct from_border {
  bool volume;
  std::int64_t depth, height, width;

  template <class T>
  from_border(const view<const T>& image, int rank)
      : volume(rank == 3), depth(image.depth), height(image.height), width(image.width) {}

  template <class T>
  MACAREU_HD T operator()(site p, T value) const {
    const bool edge = p.x == 0 || p.y == 0 || p.x == width - 1 || p.y == height - 1 ||
                      (volume && (p.z == 0 || p.z == depth - 1));
    using limits = std::numeric_limits<T>;
    if (edge) return value;
    if constexpr (limits::has_infinity)
      return Toward == direction::up ? -limits::infinity() : limits::infinity();
    else
      return Toward == direction::up ? limits::lowest() : limits::max();
  }
};

}  // namespace macareu

// The wave of reconstruction (Vincent 1993): a marker floods upwards under its mask, or sinks onto it.
#pragma once

#include "patterns/wave.hpp"

namespace macareu {

template <direction Toward>
struct flood {
  using algebra = bottleneck<Toward>;
  static constexpr bool capacity_is_input = true;
  template <class T>
  MACAREU_HD T capacity(site, T mask) const {
    return mask;
  }
};
using flood_under = flood<direction::up>;
using flood_over = flood<direction::down>;

}  // namespace macareu

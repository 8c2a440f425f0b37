// Hysteresis: a binary wave through all pixels at or above a value.
#pragma once

#include <cstdint>

#include "patterns/wave.hpp"

namespace macareu {

template <class T>
struct flood_from {
  using algebra = bottleneck<direction::up>;
  static constexpr bool binary = true;
  T first;
  MACAREU_HD std::uint8_t capacity(site, T value) const { return value >= first; }
};

}  // namespace macareu

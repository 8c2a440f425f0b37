// Difference of two images, where the second is nowhere above the first. It saturates in signed types.
#pragma once

#include <limits>
#include <type_traits>

#include "core/key.hpp"
#include "patterns/map.hpp"

namespace macareu {

struct difference {
  template <class T>
  MACAREU_HD T operator()(site, T above, T below) const {
    if (above == below) return T{0};  // equal infinities too
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      if (to_key(above) - to_key(below) > to_key(std::numeric_limits<T>::max()) - to_key(T{0}))
        return std::numeric_limits<T>::max();
    return static_cast<T>(above - below);
  }
};

}  // namespace macareu

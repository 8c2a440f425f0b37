// Saturating sums and differences of two pixels of one type.
#pragma once

#include <limits>
#include <type_traits>

#include "operators/common/numbers.hpp"
#include "patterns/map.hpp"

namespace macareu {

/// `highest` is 1 for bool, else the type's maximum.
template <class T>
struct saturating_sum {
  T highest;
  MACAREU_HD T operator()(site, T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      if (b >= 0) return a > static_cast<T>(highest - b) ? highest : static_cast<T>(a + b);
      constexpr T lowest = std::numeric_limits<T>::lowest();
      return a < static_cast<T>(lowest - b) ? lowest : static_cast<T>(a + b);
    }
  }
};

template <class T>
struct saturating_difference {
  MACAREU_HD T operator()(site, T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return a - b;
    } else {
      constexpr T lowest = std::numeric_limits<T>::lowest(), highest = std::numeric_limits<T>::max();
      if (b >= 0) return a < static_cast<T>(lowest + b) ? lowest : static_cast<T>(a - b);
      return a > static_cast<T>(highest + b) ? highest : static_cast<T>(a - b);
    }
  }
};

/// a * weight + b * (1 - weight), in f64 for integers and f64, rounded to the nearest, halves to even.
template <class T>
struct weighted_mean {
  using real = std::conditional_t<std::is_same_v<T, float> || sizeof(T) <= 2, float, double>;
  real of_a, of_b;
  MACAREU_HD T operator()(site, T a, T b) const {
    return nearest_pixel<T>(static_cast<real>(a) * of_a + static_cast<real>(b) * of_b);
  }
};

}  // namespace macareu

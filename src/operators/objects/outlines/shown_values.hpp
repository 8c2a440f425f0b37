// Maps values to the greys of a picture.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "patterns/reduce.hpp"

namespace macareu {

/// The least and the greatest finite value.
struct finite_range {
  struct value {
    double low, high;
    bool operator==(const value&) const = default;
  };
  MACAREU_HD value identity() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {infinity, -infinity};
  }
  template <class T>
  MACAREU_HD value lift(site, T pixel) const {
    const double own = static_cast<double>(pixel) + 0.0;  // -0 becomes +0
    return std::isfinite(own) ? value{own, own} : identity();
  }
  MACAREU_HD value join(value a, value b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

/// From low (black) to high (white); NaN is black.
struct shown_value {
  double low, high;

  template <class T>
  MACAREU_HD std::uint8_t operator()(T pixel) const {
    const double share = high > low ? (static_cast<double>(pixel) - low) / (high - low) : 0;
    if (!(share > 0)) return 0;
    return static_cast<std::uint8_t>(std::lround(255 * (share < 1 ? share : 1)));
  }
};

}  // namespace macareu

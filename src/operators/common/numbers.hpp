// Converts a parameter's number to a pixel.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <macareu/number.hpp>

#include "core/macros.hpp"

namespace macareu {

/// Rounds to nearest, halves to even, and saturates. NaN becomes the lowest integer.
template <class T, class F>
MACAREU_HD T nearest_pixel(F value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    using limits = std::numeric_limits<T>;
    constexpr F above = static_cast<F>(limits::max() / 2 + 1) * 2;  // a power of 2: exact
    const F whole = std::rint(value);
    if (!(whole > static_cast<F>(limits::lowest()))) return limits::lowest();
    return whole >= above ? limits::max() : static_cast<T>(whole);
  }
}

template <class T>
T pixel_from(const number& value) {
  return std::visit(
      [](auto exact) {
        if constexpr (std::is_floating_point_v<T> || std::is_floating_point_v<decltype(exact)>) {
          return nearest_pixel<T>(static_cast<double>(exact));
        } else {
          using limits = std::numeric_limits<T>;
          if (std::cmp_less(exact, limits::lowest())) return limits::lowest();
          return std::cmp_greater(exact, limits::max()) ? limits::max() : static_cast<T>(exact);
        }
      },
      value.value());
}

/// The smallest pixel value above a number; nothing if there is none.
template <class T>
std::optional<T> smallest_above(const number& value) {
  return std::visit(
      [](auto exact) -> std::optional<T> {
        using limits = std::numeric_limits<T>;
        if constexpr (std::is_floating_point_v<T>) {
          constexpr T infinity = limits::infinity();
          const T near = static_cast<T>(exact);
          if (static_cast<double>(near) > static_cast<double>(exact)) return near;
          if (near == infinity) return std::nullopt;
          return std::nextafter(near, infinity);
        } else if constexpr (std::is_floating_point_v<decltype(exact)>) {
          const double below = std::floor(exact);
          if (below < static_cast<double>(limits::lowest())) return limits::lowest();
          if (below >= static_cast<double>(limits::max() / 2 + 1) * 2) return std::nullopt;
          const T whole = static_cast<T>(below);
          return whole == limits::max() ? std::nullopt : std::optional<T>(static_cast<T>(whole + 1));
        } else {
          if (std::cmp_less(exact, limits::lowest())) return limits::lowest();
          if (std::cmp_greater_equal(exact, limits::max())) return std::nullopt;
          return static_cast<T>(static_cast<T>(exact) + 1);
        }
      },
      value.value());
}

}  // namespace macareu

// Rules that join neighbours into objects.
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <macareu/number.hpp>

#include "core/key.hpp"
#include "patterns/component.hpp"

namespace macareu {

/// Both are not zero; NaN counts as not zero.
struct set_pixels {
  static constexpr int classes = 1;
  template <class T>
  MACAREU_HD bool inside(T value) const {
    return value != T{};
  }
  template <class T>
  MACAREU_HD std::uint8_t class_of(T) const {
    return 0;
  }
};

/// Their values are equal, and not the background's. NaN must have been refused before: it equals nothing.
template <class T>
struct equal_values {
  T background{};
  bool has_background = true;  // false: no pixel of this type can have the requested value

  MACAREU_HD bool inside(T value) const { return !has_background || value != background; }
  MACAREU_HD key_of<T> class_of(T value) const {
    return to_key(value == T{} ? T{} : value);  // -0 and +0 are equal
  }
};

/// They lie in the same interval, both ends included. NaN lies in none.
template <class T>
struct same_interval {
  static constexpr std::size_t most = 64;
  std::array<T, most> low{}, high{};
  std::uint8_t count = 0;

  MACAREU_HD bool inside(T value) const { return class_of(value) < count; }
  MACAREU_HD std::uint8_t class_of(T value) const {
    std::uint8_t i = 0;
    while (i < count && !(low[i] <= value && value <= high[i])) ++i;
    return i;
  }
};

/// Compares a pixel value with a nearby bound, which may be an integer of more bits than a double has.
template <class Bound>
std::partial_ordering compare_near(double near, Bound bound) {
  if constexpr (std::is_integral_v<Bound>) {
    constexpr double beyond = 2.0 * static_cast<double>(std::numeric_limits<Bound>::max() / 2 + 1);
    if (near >= beyond) return std::partial_ordering::greater;
    return static_cast<Bound>(near) <=> bound;
  } else {
    return near <=> bound;
  }
}

/// The least pixel value that is not below `bound`, or the greatest that is not above it; nothing if there is
/// none.
template <class T>
std::optional<T> least_from(const number& bound) {
  return std::visit(
      [](auto value) -> std::optional<T> {
        using limits = std::numeric_limits<T>;
        if constexpr (std::is_floating_point_v<T>) {
          const auto near = static_cast<T>(value);
          return compare_near(near, value) < 0 ? std::nextafter(near, limits::infinity()) : near;
        } else if constexpr (std::is_floating_point_v<decltype(value)>) {
          if (value <= static_cast<double>(limits::lowest())) return limits::lowest();
          const double whole = std::ceil(value);
          if (whole >= 2.0 * static_cast<double>(limits::max() / 2 + 1)) return std::nullopt;
          return static_cast<T>(whole);
        } else {
          if (std::cmp_greater(value, limits::max())) return std::nullopt;
          return std::cmp_less(value, limits::lowest()) ? limits::lowest() : static_cast<T>(value);
        }
      },
      bound.value());
}
template <class T>
std::optional<T> greatest_to(const number& bound) {
  return std::visit(
      [](auto value) -> std::optional<T> {
        using limits = std::numeric_limits<T>;
        if constexpr (std::is_floating_point_v<T>) {
          const auto near = static_cast<T>(value);
          return compare_near(near, value) > 0 ? std::nextafter(near, -limits::infinity()) : near;
        } else if constexpr (std::is_floating_point_v<decltype(value)>) {
          if (value >= 2.0 * static_cast<double>(limits::max() / 2 + 1)) return limits::max();
          const double whole = std::floor(value);
          if (whole < static_cast<double>(limits::lowest())) return std::nullopt;
          return static_cast<T>(whole);
        } else {
          if (std::cmp_less(value, limits::lowest())) return std::nullopt;
          return std::cmp_greater(value, limits::max()) ? limits::max() : static_cast<T>(value);
        }
      },
      bound.value());
}

/// A background that this type cannot represent is ignored.
template <class T>
equal_values<T> equal_values_but(const number& background) {
  const auto least = least_from<T>(background), greatest = greatest_to<T>(background);
  if (!least || !greatest || *least != *greatest) return {T{}, false};
  return {*least, true};
}

/// Intervals without a value of this type are ignored.
template <class T>
same_interval<T> same_interval_of(const std::vector<interval>& all) {
  same_interval<T> rule;
  for (const auto& [low, high] : all) {
    const auto least = least_from<T>(low), greatest = greatest_to<T>(high);
    if (!least || !greatest || *least > *greatest) continue;
    rule.low[rule.count] = *least;
    rule.high[rule.count++] = *greatest;
  }
  return rule;
}

}  // namespace macareu

// Intensities as integers, so that their sums have no order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "patterns/reduce.hpp"
#include "rules/intensity_sums.hpp"

namespace macareu {

struct greatest_magnitude {
  using value = double;
  MACAREU_HD value identity() const { return 0; }
  template <class T>
  MACAREU_HD value lift(site, T intensity) const {
    const auto wide = static_cast<double>(intensity);
    return wide < 0 ? -wide : wide;
  }
  MACAREU_HD value join(value a, value b) const { return a > b ? a : b; }
};

/// So that no intensity exceeds 2^43: then 2^40 pixels have sums of squares that fit 126 bits.
template <class T, class Engine>
intensity_scale scale_of(Engine& engine, const call& call, const view<const T>& intensity) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < 8) return {};
  const double greatest = engine.reduce(greatest_magnitude{}, intensity);
  if (std::isinf(greatest))
    throw usage_error(std::string(call.about.name) +
                      ": intensity is infinite somewhere; there is no mean of that");
  constexpr int bits = 43;
  if (greatest == 0) return {};
  const int exponent = bits - 1 - std::ilogb(greatest);
  if (std::is_integral_v<T> && exponent >= 0) return {};
  return {std::ldexp(1.0, std::min(exponent, 1000))};
}

/// One number for each axis of the array, or one for all; in the order of the axes.
inline std::array<double, 3> spacing_of(const call& call) {
  const auto& given = call.list<number>("spacing");
  if (given.size() != 1 && std::cmp_not_equal(given.size(), call.rank()))
    throw usage_error(std::string(call.about.name) + ": spacing has " + std::to_string(given.size()) +
                      " numbers, but the image " + std::to_string(call.rank()) +
                      " axes: give one for each, or one for all");
  std::array<double, 3> spacing{1, 1, 1};
  for (int axis = 0; axis < call.rank(); ++axis)
    spacing[static_cast<std::size_t>(axis)] =
        given[given.size() == 1 ? 0 : static_cast<std::size_t>(axis)].to_double();
  return spacing;
}

}  // namespace macareu

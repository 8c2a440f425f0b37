// Pixel spacing: one number for each axis of the array, or one for all.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <macareu/error.hpp>

#include "core/call.hpp"

namespace macareu {

inline call_error wrong_spacing(std::string_view operation, std::size_t given, int rank) {
  const auto allowed = std::to_string(rank) + " axes: give one for each, or one for all";
  return call_error({.kind = fault::axes,
                     .operation = std::string(operation),
                     .parts = {parameter_named("spacing"),
                               " has " + std::to_string(given) + " numbers, but the image " + allowed},
                     .given = std::to_string(given),
                     .allowed = "1 or " + std::to_string(rank)});
}

/// One number for each axis of the array, or one for all; in the order of the axes.
inline std::array<double, 3> spacing_of(const call& call) {
  const auto& given = call.list<number>("spacing");
  if (given.size() != 1 && std::cmp_not_equal(given.size(), call.rank()))
    throw wrong_spacing(call.about.name, given.size(), call.rank());
  std::array<double, 3> spacing{1, 1, 1};
  for (int axis = 0; axis < call.rank(); ++axis)
    spacing[static_cast<std::size_t>(axis)] =
        given[given.size() == 1 ? 0 : static_cast<std::size_t>(axis)].to_double();
  return spacing;
}
inline void check_spacing(const call& call) { spacing_of(call); }

}  // namespace macareu

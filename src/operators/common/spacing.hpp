// Sizes of pixels: one number for each axis of the array, or one for all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <macareu/error.hpp>

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

}  // namespace macareu

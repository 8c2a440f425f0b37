// Numbers for the axes of an image: one for each axis of the array, or one for all.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/frame.hpp"
#include "core/site.hpp"
#include "operators/common/wrong_value.hpp"

#include <macareu/catalogue.hpp>

namespace macareu::operators {

/// Whole numbers of the parameter, in the order of the axes; 0 for auto.
inline std::array<std::int64_t, 3> axis_numbers(std::string_view operation, std::string_view parameter,
                                                const std::vector<number>& given, int rank) {
  if (given.size() != 1 && std::cmp_not_equal(given.size(), rank))
    throw wrong_value(operation, parameter,
                      "one number for each of " + std::to_string(rank) + " axes, or one for all",
                      std::to_string(given.size()) + " numbers", fault::axes);
  constexpr double most = 1e15;
  std::array<std::int64_t, 3> numbers{};
  for (int axis = 0; axis < rank; ++axis) {
    const double one = given[given.size() == 1 ? 0 : static_cast<std::size_t>(axis)].to_double();
    numbers[static_cast<std::size_t>(axis)] =
        std::isnan(one) ? 0 : static_cast<std::int64_t>(one < most ? one : most);
  }
  return numbers;
}

/// As z, y and x; an image has 1 for z.
inline site as_site(const std::array<std::int64_t, 3>& numbers, int rank) {
  return rank == 3 ? site{numbers[0], numbers[1], numbers[2]} : site{1, numbers[0], numbers[1]};
}

inline site size_of_whole(const frame& whole) { return {whole.depth, whole.height, whole.width}; }

}  // namespace macareu::operators

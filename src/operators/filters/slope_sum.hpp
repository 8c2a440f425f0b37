// Sobel's slope along an axis in f64: products with the weights are added in raster order, as ITK and
// scikit-image do.
#pragma once

#include <array>
#include <type_traits>

#include "core/macros.hpp"

namespace macareu {

/// Of pixels beside p along the axis, by how many of the other axes they are beside it too.
using slope_weights = std::array<double, 3>;

/// Of the last Rank axes; axis 0 is z, 1 is y, 2 is x.
template <int Rank, int Axis, int Place = 26, class Near>
MACAREU_HD auto slope_sum(const Near& near, const slope_weights& weights) {
  constexpr std::array step{Place / 9 - 1, Place / 3 % 3 - 1, Place % 3 - 1};
  const auto widened = [](auto pixel) {
    if constexpr (std::is_arithmetic_v<decltype(pixel)>)
      return static_cast<double>(pixel);
    else
      return pixel;
  };
  if constexpr (Place < 0) {
    return decltype(widened(near(0, 0, 0))){};
  } else {
    const auto before = slope_sum<Rank, Axis, Place - 1>(near, weights);
    constexpr bool in_rank = (Rank == 3 || step[0] == 0) && (Rank >= 2 || step[1] == 0);
    if constexpr (in_rank && step[Axis] != 0) {
      constexpr auto beside = static_cast<std::size_t>((step[0] != 0) + (step[1] != 0) + (step[2] != 0) - 1);
      return before + widened(near(step[0], step[1], step[2])) * (step[Axis] * weights[beside]);
    } else {
      return before;
    }
  }
}

}  // namespace macareu

// Slopes in the arithmetic of scikit-image's edge filters.
#pragma once

#include <array>

#include "core/wide.hpp"
#include "operators/filters/slope_sum.hpp"
#include "patterns/window.hpp"

namespace macareu {

/// The slope along one of the last Rank axes, smoothed by (1 2 1) / 4 along the others. For several axes, the
/// root of the sum of squares, divided by `divisor`.
template <int Rank>
struct slope_length {
  static constexpr bool wide = true;
  static constexpr std::size_t most = 8;
  using value = double;

  int count;
  std::array<int, most> axis;  // 0: z, 1: y, 2: x
  std::array<slope_weights, most> weights;
  double divisor;

  MACAREU_HD static constexpr window_radius radius() { return {Rank == 3, Rank >= 2, 1}; }

  template <class Near>
  MACAREU_HD auto operator()(site, const Near& near) const {
    const auto first = slope(near, 0);
    if (count == 1) return first;
    auto sum = first * first;
    for (int i = 1; i < count; ++i) {
      const auto own = slope(near, static_cast<std::size_t>(i));
      sum = sum + own * own;
    }
    return root(sum) / divisor;
  }

 private:
  template <class Near>
  MACAREU_HD auto slope(const Near& near, std::size_t i) const {
    if constexpr (Rank == 3)
      if (axis[i] == 0) return slope_sum<Rank, 0>(near, weights[i]);
    if constexpr (Rank >= 2)
      if (axis[i] == 1) return slope_sum<Rank, 1>(near, weights[i]);
    return slope_sum<Rank, 2>(near, weights[i]);
  }
};

}  // namespace macareu

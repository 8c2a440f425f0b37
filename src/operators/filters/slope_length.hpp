// Slopes in the arithmetic of scikit-image's edge filters: products in f64, added in raster order.
#pragma once

#include <array>
#include <type_traits>

#include "core/wide.hpp"
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
  std::array<int, most> axis;      // 0: z, 1: y, 2: x
  std::array<double, most> scale;  // of a slope's weights
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
      if (axis[i] == 0) return taps<0, 26>(near, scale[i]);
    if constexpr (Rank >= 2)
      if (axis[i] == 1) return taps<1, 26>(near, scale[i]);
    return taps<2, 26>(near, scale[i]);
  }

  /// The sum over places 0 .. Place of the cube around the pixel.
  template <int Axis, int Place, class Near>
  MACAREU_HD static auto taps(const Near& near, double scale) {
    constexpr std::array step{Place / 9 - 1, Place / 3 % 3 - 1, Place % 3 - 1};
    if constexpr (Place < 0) {
      return decltype(widened(near(0, 0, 0))){};
    } else {
      constexpr double weight = weight_of(step, Axis);
      const auto before = taps<Axis, Place - 1>(near, scale);
      if constexpr (weight == 0)
        return before;
      else
        return before + widened(near(step[0], step[1], step[2])) * (weight * scale);
    }
  }

  static constexpr double weight_of(const std::array<int, 3>& step, int along) {
    double weight = step[static_cast<std::size_t>(along)];
    for (int other = 0; other < 3; ++other) {
      const int apart = step[static_cast<std::size_t>(other)];
      if (other < 3 - Rank && apart != 0) return 0;
      if (other >= 3 - Rank && other != along) weight *= apart == 0 ? 0.5 : 0.25;
    }
    return weight;
  }

  template <class V>
  MACAREU_HD static auto widened(V pixel) {
    if constexpr (std::is_arithmetic_v<V>)
      return static_cast<double>(pixel);
    else
      return pixel;
  }
};

}  // namespace macareu

// Sobel's gradient, as SciPy's sobel: the difference along one axis, smoothed by (1 2 1) along the others. In
// f32 if that is exact or the image's type, else in f64.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/wide.hpp"
#include "operators/common/angle.hpp"
#include "patterns/window.hpp"

namespace macareu {

template <class T>
using gradient_type = std::conditional_t<sizeof(T) <= 2 || std::is_same_v<T, float>, float, double>;

/// The value at distance d along `axis`, smoothed along the others.
template <int Rank, class F>
struct sobel_gradient {
  /// Axis 0 is z, 1 is y, 2 is x.
  template <int Axis, class Near>
  MACAREU_HD static auto along(const Near& near) {
    return smoothed<Axis>(near, 1) - smoothed<Axis>(near, -1);
  }

 private:
  template <int Axis, class Near>
  MACAREU_HD static auto smoothed(const Near& near, int d) {
    if constexpr (Axis == 2)
      return in_plane(near, [&](int a, int b) { return near(a, b, d); });
    else if constexpr (Axis == 1)
      return in_plane(near, [&](int a, int b) { return near(a, d, b); });
    else
      return in_plane(near, [&](int a, int b) { return near(d, a, b); });
  }
  /// (1 2 1) along b, and in volumes along a.
  template <class Near, class At>
  MACAREU_HD static auto in_plane(const Near&, const At& at) {
    const auto line = [&](int a) {
      return widened(at(a, -1)) + widened(at(a, 1)) + twice(widened(at(a, 0)));
    };
    if constexpr (Rank == 3)
      return line(-1) + line(1) + twice(line(0));
    else
      return line(0);
  }
  template <class V>
  MACAREU_HD static auto widened(V value) {
    if constexpr (std::is_arithmetic_v<V>)
      return static_cast<F>(value);
    else
      return value;
  }
  template <class V>
  MACAREU_HD static auto twice(V value) {
    return value + value;
  }
};

template <int Rank>
constexpr window_radius gradient_radius{Rank == 3 ? 1 : 0, 1, 1};

/// The length of the gradient.
template <int Rank, class F>
struct gradient_magnitude {
  static constexpr bool wide = true;
  using value = F;
  using gradient = sobel_gradient<Rank, F>;

  MACAREU_HD static constexpr window_radius radius() { return gradient_radius<Rank>; }
  template <class Near>
  MACAREU_HD auto operator()(site, const Near& near) const {
    const auto y = gradient::template along<1>(near), x = gradient::template along<2>(near);
    if constexpr (Rank == 3) {
      const auto z = gradient::template along<0>(near);
      return root(z * z + y * y + x * x);
    } else {
      return root(y * y + x * x);
    }
  }
};

/// One component.
template <int Rank, class F, int Axis>
struct gradient_along {
  static constexpr bool wide = true;
  using value = F;

  MACAREU_HD static constexpr window_radius radius() { return gradient_radius<Rank>; }
  template <class Near>
  MACAREU_HD auto operator()(site, const Near& near) const {
    return sobel_gradient<Rank, F>::template along<Axis>(near);
  }
};

/// For images: the angle from the x axis towards y, in radians.
template <class F>
struct gradient_direction {
  MACAREU_HD static constexpr window_radius radius() { return gradient_radius<2>; }
  template <class Near>
  MACAREU_HD F operator()(site, const Near& near) const {
    using gradient = sobel_gradient<2, F>;
    return static_cast<F>(angle_of(static_cast<double>(gradient::template along<1>(near)),
                                   static_cast<double>(gradient::template along<2>(near))));
  }
};

}  // namespace macareu

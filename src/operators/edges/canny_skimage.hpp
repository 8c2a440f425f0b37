// Canny's edges as scikit-image's canny finds them. The length of Sobel's gradient is not below that on both
// sides along the gradient, interpolated between neighbours.
//
// V is the type of scikit-image's smoothed image. Sobel's sums are SciPy's: differences along the axis,
// rounded to V, then 1 2 1 across in f64, rounded to V.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/macros.hpp"
#include "core/site.hpp"
#include "core/wide.hpp"
#include "operators/common/hypot.hpp"
#include "patterns/edges.hpp"

namespace macareu {

/// Integers to 0..1 or -1..1, as img_as_float does; booleans and floats as they are.
template <class V>
struct scaled_to_one {
  bool of_booleans;
  template <class T>
  MACAREU_HD V operator()(site, T pixel) const {
    const V wide = static_cast<V>(pixel);
    if (std::is_floating_point_v<T> || of_booleans) return wide;
    const V scaled = wide * (V{1} / static_cast<V>(std::numeric_limits<T>::max()));
    return std::is_signed_v<T> && scaled < -1 ? V{-1} : scaled;
  }
};

template <class V>
class skimage_canny {
 public:
  using value = V;
  static constexpr int rank = 2;
  static constexpr bool strength_is_derived = true;
  static constexpr bool inside_only = true;
  static constexpr bool drafts = false;

  skimage_canny(V low, V high) : low_(low), high_(high) {}

  /// The length of the gradient.
  template <class Near>
  MACAREU_HD V derived(const Near& near) const {
    return hypot_of(along_y(near), along_x(near));
  }

  /// The length of the gradient.
  template <class Smooth, class Derived>
  MACAREU_HD V strength(const Smooth&, const Derived& derived) const {
    return derived(0, 0, 0);
  }
  MACAREU_HD V least() const { return low_ > least_drafted ? low_ * V(1 - draft_share) : low_; }
  bool weak() const { return low_ < high_; }
  template <class Smooth>
  MACAREU_HD void slopes(const Smooth& smooth, V (&to)[2]) const {
    to[0] = along_x(smooth);
    to[1] = along_y(smooth);
  }

  /// The length in f32, from slopes: three roundings of f32 at most, unless it leaves f32's range. Lengths
  /// that matter are not below it where drafts_hold().
  MACAREU_HD static V draft(const V (&slope)[2]) {
    return static_cast<V>(std::sqrt(static_cast<float>(slope[0] * slope[0] + slope[1] * slope[1])));
  }
  bool drafts_hold() const { return low_ > least_drafted; }

  /// Without divisions, where rounding cannot change the result.
  template <class W, class Derived>
  MACAREU_HD W estimate(W here, const W (&slope)[2], const Derived& derived, V) const {
    return estimated<false>(here, slope, derived);
  }
  /// The same from drafts.
  template <class W, class Derived>
  MACAREU_HD W estimate_drafts(W here, const W (&slope)[2], const Derived& derived) const {
    return estimated<true>(here, slope, derived);
  }

  template <class Smooth, class Derived>
  MACAREU_HD std::uint8_t level(const Smooth& smooth, const Derived& derived) const {
    const V here = derived(0, 0, 0);
    if (!(here >= low_) || !crossing(smooth, derived)) return 0;
    return here >= high_ ? 2 : 1;
  }

  template <class Smooth>
  MACAREU_HD V gradient(const Smooth& smooth) const {
    return derived(smooth);
  }

  /// A maximum of the length along the gradient.
  template <class Smooth, class Derived>
  MACAREU_HD bool crossing(const Smooth& smooth, const Derived& derived) const {
    const V here = derived(0, 0, 0);
    if (!(here > 0)) return false;
    const V y = along_y(smooth), x = along_x(smooth);
    const V steep = std::fabs(y), flat = std::fabs(x);
    // The gradient lies between an axis and a diagonal. Of two diagonals, scikit-image's last match applies.
    const int turn = (y <= 0 && x >= 0) || (y >= 0 && x <= 0) ? -1 : 1;
    const bool upright = turn < 0 ? steep >= flat : steep > flat;
    const V share = upright ? flat / steep : steep / flat;
    const auto below = [&](int side) {
      const V straight = upright ? derived(0, side, 0) : derived(0, 0, side * turn);
      const V diagonal = derived(0, side, side * turn);
      return diagonal * share + straight * (1 - share) <= here;
    };
    return below(1) && below(-1);
  }

 private:
  static constexpr V least_drafted = V(1e-12);
  static constexpr double draft_share = 0x1p-20;

  template <bool Drafts, class W, class Derived>
  MACAREU_HD W estimated(W here, const W (&slope)[2], const Derived& derived) const {
    const W zero{}, x = slope[0], y = slope[1], flat = magnitude(x), steep = magnitude(y);
    const auto crosswise = ((y <= zero) & (x >= zero)) | ((y >= zero) & (x <= zero));
    const auto upright = steep > flat;
    const W most = upright ? steep : flat, least = upright ? flat : steep, rest = most - least;
    const W left = derived(0, 0, -1), right = derived(0, 0, 1);
    const W below = crosswise ? derived(0, 1, -1) : derived(0, 1, 1);
    const W above = crosswise ? derived(0, -1, 1) : derived(0, -1, -1);
    const W with_below = crosswise ? left : right, with_above = crosswise ? right : left;
    const W one = below * least + (upright ? derived(0, 1, 0) : with_below) * rest;
    const W other = above * least + (upright ? derived(0, -1, 0) : with_above) * rest;
    const W own = here * most, margin = own * V(1e-5) + V(1e-30);
    const W passed = here >= high_ ? everywhere<W>(V{2}) : everywhere<W>(V{1});
    const auto passes = (here >= low_) & (here > zero);
    W level = passes ? passed : zero;
    if constexpr (Drafts) {
      const auto near_low = magnitude(here - low_) <= V(low_ * draft_share);
      const auto near_high = magnitude(here - high_) <= V(high_ * draft_share);
      level = near_low | near_high ? everywhere<W>(V{not_sure}) : level;
    }
    const W unsure = level > zero ? everywhere<W>(V{not_sure}) : zero;
    // NaN, from infinite pixels, compares false and leaves the result not_sure.
    const auto highest = (one < own - margin) & (other < own - margin);
    const W not_lower = highest ? level : unsure;
    auto lower = (one > own + margin) | (other > own + margin);
    // A draft may be infinite where the length is not.
    if constexpr (Drafts) lower = lower & (one < V(1e37)) & (other < V(1e37));
    return lower ? zero : not_lower;
  }

  template <class Near>
  MACAREU_HD static V along_y(const Near& near) {
    return smoothed(near(0, 1, -1) - near(0, -1, -1), near(0, 1, 0) - near(0, -1, 0),
                    near(0, 1, 1) - near(0, -1, 1));
  }
  template <class Near>
  MACAREU_HD static V along_x(const Near& near) {
    return smoothed(near(0, -1, 1) - near(0, -1, -1), near(0, 0, 1) - near(0, 0, -1),
                    near(0, 1, 1) - near(0, 1, -1));
  }
  MACAREU_HD static V smoothed(V before, V here, V after) {
    return static_cast<V>(static_cast<double>(here) * 2.0 +
                          (static_cast<double>(before) + static_cast<double>(after)));
  }

  V low_, high_;
};

}  // namespace macareu

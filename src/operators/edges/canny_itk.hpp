// Canny's edges as ITK's CannyEdgeDetectionImageFilter finds them. The second derivative along the gradient
// crosses zero and does not rise there, and the gradient is steep.
//
// V is the type of ITK's output pixels. First derivatives are half of a difference. Second derivatives and
// the mixed term are summed in f64 and rounded to V; all else is computed in V. The sign of first derivatives
// is ITK's, from right to left: it appears in pairs only.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/key.hpp"
#include "core/macros.hpp"
#include "core/wide.hpp"
#include "patterns/edges.hpp"

namespace macareu {

template <class V, int Rank>
class itk_canny {
 public:
  using value = V;
  static constexpr int rank = Rank;
  static constexpr bool strength_is_derived = false;
  static constexpr bool inside_only = false;
  static constexpr bool drafts = Rank == 2;

  itk_canny(V low, V high)
      : low_(low),
        high_(high),
        low_square_(least_square(low, [=](V root) { return root > low; })),
        high_square_(least_square(high, [=](V root) { return static_cast<float>(root) > high; })),
        least_(low < 0 || high < 0          ? V{-1}
               : low_square_ < high_square_ ? low_square_
                                            : high_square_),
        doubt_(low < 0 || high < 0 ? std::numeric_limits<V>::infinity() : V{0}) {}

  template <class Near>
  MACAREU_HD V derived(const Near& near) const {
    V slope[Rank];
    for (int i = 0; i < Rank; ++i) slope[i] = along(near, i);
    V sum = 0;
    for (int i = 0; i < Rank; ++i)
      for (int j = i + 1; j < Rank; ++j)
        sum = static_cast<V>(static_cast<double>(sum) + 2.0 * static_cast<double>(slope[i]) *
                                                            static_cast<double>(slope[j]) *
                                                            static_cast<double>(across(near, i, j)));
    V square = least_gradient;
    for (int i = 0; i < Rank; ++i) {
      sum += slope[i] * slope[i] * bend(near, i);
      square += slope[i] * slope[i];
    }
    return sum / square;
  }

  /// Approximates `derived` in V alone. Raises `bends` to the largest second differences it uses.
  template <class W, class Near>
  MACAREU_HD W drafted(const Near& near, W& bends) const {
    const W left = at(near, 0, -1), right = at(near, 0, 1), up = at(near, 1, -1), down = at(near, 1, 1);
    const W x = left - right, y = up - down, here = at(near, 0, 0), twice = here + here;
    const W bend_x = left + right - twice, bend_y = up + down - twice;
    const W cross = V(0.5) * (near(0, -1, -1) - near(0, 1, -1) - near(0, -1, 1) + near(0, 1, 1));
    bends = either_greater(bends, either_greater(size_of(bend_x), size_of(bend_y)) + size_of(cross));
    const W xx = x * x, yy = y * y;
    return near_quotient(x * y * cross + xx * bend_x + yy * bend_y, xx + yy + 4 * least_gradient);
  }
  /// Bound of |drafted - derived|, infinite where a draft may overflow. |x y| is at most half of xx + yy, so
  /// second differences have weights of at most 1 in units of `bends`. A draft adds 8 roundings, with a
  /// quotient worth 4, and the derivative 9. The second differences add 11 roundings of a pixel. The rest is
  /// margin.
  MACAREU_HD static V draft_error(V pixels, V bends) {
    constexpr V rounding = std::numeric_limits<V>::epsilon() / 2,
                limit = std::is_same_v<V, float> ? 1e9 : 1e75;
    if (!(pixels < limit)) return std::numeric_limits<V>::infinity();
    return rounding * (24 * bends + 16 * pixels) + V(1e-30);
  }

  /// Without slopes `derived` is 0, or NaN where a second difference is infinite. Neither is an edge's side.
  template <class Near>
  MACAREU_HD static bool is_flat(const Near& near) {
    bool flat = true;
    for (int i = 0; i < Rank; ++i) flat = flat && along(near, i) == 0;
    return flat;
  }
  MACAREU_HD std::uint8_t flat_level() const { return level_of(V{0}); }

  /// The square of the gradient.
  template <class Smooth, class Derived>
  MACAREU_HD V strength(const Smooth& smooth, const Derived&) const {
    return squared_gradient(smooth);
  }
  MACAREU_HD V least() const { return least_; }
  bool weak() const { return low_square_ < high_square_; }
  template <class Smooth>
  MACAREU_HD void slopes(const Smooth& smooth, V (&to)[Rank]) const {
    for (int i = 0; i < Rank; ++i) to[i] = along(smooth, i);
  }

  /// The sign of the third derivative without divisions, where neither rounding nor `error` in the derived
  /// image can change it.
  template <class W, class Derived>
  MACAREU_HD W estimate(W square, const W (&slope)[Rank], const Derived& derived, V error) const {
    const W zero{}, here = derived(0, 0, 0), distance = size_of(here);
    W before{}, after{}, third{}, size{}, slopes{};
    for (int i = 0; i < Rank; ++i) {
      const W one = at(derived, i, -1), other = at(derived, i, 1), part = (one - other) * slope[i];
      const W one_side = turned_by(one, here), other_side = turned_by(other, here);
      const bool first = i == 0;
      // Relative to this pixel's sign, the furthest neighbours across zero are the least.
      before = first ? one_side : either_lesser(before, one_side);
      after = first ? other_side : either_lesser(after, other_side);
      third = first ? part : third + part;
      size = first ? size_of(part) : size + size_of(part);
      slopes = first ? size_of(slope[i]) : slopes + size_of(slope[i]);
    }
    const V apart = 2 * error + doubt_;
    const W margin = size * V(1e-5) + (slopes * (V(1.01) * apart) + V(1e-30));
    const W near = apart - distance, far = -apart - distance;
    const auto off_zero = distance > apart;
    const auto may_cross = (before < near) | (after <= near);
    const auto sure = off_zero & ((before < far) | (after <= far)) & (third < -margin);
    const W passed = square >= low_square_ ? everywhere<W>(V{1}) : zero;
    const W level = square >= high_square_ ? everywhere<W>(V{2}) : passed;
    // NaN, from products that overflow, compares false and leaves the result not_sure.
    const W unsure = ((third > margin) | (square < least_)) ? zero : everywhere<W>(V{not_sure});
    const W seen = may_cross ? unsure : zero;
    const W open = off_zero ? seen : unsure;
    return sure ? level : open;
  }

  template <class Smooth, class Derived>
  MACAREU_HD std::uint8_t level(const Smooth& smooth, const Derived& derived) const {
    return level_of(crossing(smooth, derived) ? gradient(smooth) : V{0});
  }

  template <class Smooth>
  MACAREU_HD V gradient(const Smooth& smooth) const {
    return std::sqrt(squared_gradient(smooth));
  }

  /// The second derivative crosses zero here, and the third is not positive.
  template <class Smooth, class Derived>
  MACAREU_HD bool crossing(const Smooth& smooth, const Derived& derived) const {
    if (!crosses_zero(derived)) return false;
    const V length = gradient(smooth);
    V third = 0;
    for (int i = 0; i < Rank; ++i) third += along(derived, i) * (along(smooth, i) / length);
    return third <= 0;
  }

 private:
  static constexpr V least_gradient = static_cast<V>(0.0001);

  MACAREU_HD std::uint8_t level_of(V steepness) const {
    // ITK compares the upper threshold with a float.
    if (static_cast<float>(steepness) > high_) return 2;
    return steepness > low_;
  }

  /// One instruction for scalars too.
  template <class W>
  MACAREU_HD static W size_of(W a) {
    if constexpr (std::is_arithmetic_v<W>)
      return std::fabs(a);
    else
      return magnitude(a);
  }
  /// Within two units in the last place for 1e-4 < b < 1e30; two instructions on a GPU.
  template <class W>
  MACAREU_HD static W near_quotient(W a, W b) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<W, float>) return __fdividef(a, b);
#endif
    return a / b;
  }

  /// The least square whose rounded root is above a threshold, as are all greater ones. It is usually close
  /// to the square of the threshold.
  template <class Above>
  static V least_square(V threshold, const Above& above) {
    key_of<V> low = to_key(V{0}), high = to_key(std::numeric_limits<V>::infinity());
    const auto narrow = [&](key_of<V> middle) {
      if (middle < low || middle >= high) return;
      if (above(std::sqrt(from_key<V>(middle))))
        high = middle;
      else
        low = middle + 1;
    };
    if (const V square = threshold * threshold; threshold >= 0 && square < std::numeric_limits<V>::max()) {
      narrow(to_key(square));
      narrow(static_cast<key_of<V>>(to_key(square) + 4));
    }
    while (low < high) narrow(static_cast<key_of<V>>(low + (high - low) / 2));
    return from_key<V>(high);
  }

  /// The pixel at distance `d` along axis i and `e` along axis j. Axis 0 is x, as in ITK.
  template <class Near>
  MACAREU_HD static auto at(const Near& near, int i, int d, int j = 0, int e = 0) {
    const int x = (i == 0) * d + (j == 0) * e, y = (i == 1) * d + (j == 1) * e;
    return near((i == 2) * d + (j == 2) * e, y, x);
  }
  template <class Near>
  MACAREU_HD static V along(const Near& near, int i) {
    return V(0.5) * (at(near, i, -1) - at(near, i, 1));
  }
  template <class Near>
  MACAREU_HD static V bend(const Near& near, int i) {
    const double before = at(near, i, -1), here = at(near, i, 0), after = at(near, i, 1);
    return static_cast<V>(before - 2.0 * here + after);
  }
  template <class Near>
  MACAREU_HD static V across(const Near& near, int i, int j) {
    const double a = at(near, i, -1, j, -1), b = at(near, i, -1, j, 1), c = at(near, i, 1, j, -1),
                 d = at(near, i, 1, j, 1);
    return static_cast<V>(0.25 * (a - b - c + d));
  }

  template <class Smooth>
  MACAREU_HD static V squared_gradient(const Smooth& smooth) {
    V square = least_gradient;
    for (int i = 0; i < Rank; ++i) {
      const V slope = along(smooth, i);
      square += slope * slope;
    }
    return square;
  }

  /// A neighbour along an axis has the other sign, or is the only one of both that is not zero, and is
  /// further from zero. If both are equally far, the pixel before the crossing has it.
  template <class Derived>
  MACAREU_HD static bool crosses_zero(const Derived& derived) {
    const V here = derived(0, 0, 0);
    V least = 0, most = 0, least_after = 0, most_after = 0;  // 0 never counts
    for (int i = 0; i < Rank; ++i) {
      const V before = at(derived, i, -1), after = at(derived, i, 1);
      least = before < least ? before : least;
      most = before > most ? before : most;
      least_after = after < least_after ? after : least_after;
      most_after = after > most_after ? after : most_after;
    }
    const bool down = (here >= 0) & ((least < -here) | ((least_after <= -here) & (least_after < 0)));
    const bool up = (here <= 0) & ((most > -here) | ((most_after >= -here) & (most_after > 0)));
    return down | up;
  }

  V low_, high_, low_square_, high_square_, least_;
  V doubt_;  // infinite if a threshold is below 0: no estimate then
};

}  // namespace macareu

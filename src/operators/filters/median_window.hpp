// The median of a square or cubic window.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/wide.hpp"
#include "patterns/window.hpp"

namespace macareu {

/// Forgetful selection. Among more than half of the values, neither the smallest nor the largest is the
/// median. Both are dropped and the next value is added. Exchanges at fixed places need no branches.
namespace selection {

template <class V>
MACAREU_HD void order(V& a, V& b) {
  const V low = lesser(a, b), high = greater(a, b);
  a = low;
  b = high;
}

/// Moves the smallest of the first M values to place 0, the largest to M - 1.
template <int M, class V, int... Pair, int... Low, int... High>
MACAREU_HD void extremes_outwards(V* v, std::integer_sequence<int, Pair...>,
                                  std::integer_sequence<int, Low...>, std::integer_sequence<int, High...>) {
  (order(v[Pair], v[M - 1 - Pair]), ...);
  (order(v[0], v[Low + 1]), ...);
  (order(v[M - 2 - High], v[M - 1]), ...);
}

/// `v` has M candidates, the first M - 1 of them from the last round; `rest` has the remaining values.
template <int M, class V>
MACAREU_HD V median_among(V* v, const V* rest) {
  constexpr int half = (M + 1) / 2;
  extremes_outwards<M>(v, std::make_integer_sequence<int, M / 2>{},
                       std::make_integer_sequence<int, half - 1>{},
                       std::make_integer_sequence<int, half - 1>{});
  if constexpr (M == 3) {
    return v[1];
  } else {
    v[M - 1] = *rest;  // replaces the largest; the smallest, at v[0], is dropped
    return median_among<M - 1>(v + 1, rest + 1);
  }
}

/// Median of N values, N odd; permutes them.
template <int N, class V>
MACAREU_HD V median(V (&v)[N]) {
  constexpr int first = N / 2 + 2;
  return median_among<first>(v, v + first);
}

}  // namespace selection

/// Median of Side x Side pixels, or Side^3 in volumes. Signed integers come as bits, and `sign` makes them
/// comparable. Floats are unchanged and must not be NaN.
template <int Rank, int Side, class Value>
struct median_window {
  static constexpr bool wide = true;
  using value = Value;
  Value sign;

  MACAREU_HD static constexpr window_radius radius() {
    return {Rank == 3 ? Side / 2 : 0, Side / 2, Side / 2};
  }
  template <class Near>
  MACAREU_HD auto operator()(site, const Near& near) const {
    return median_of(near, std::make_integer_sequence<int, (2 * radius().z + 1) * Side * Side>{});
  }

 private:
  template <class Near, int... I>
  MACAREU_HD auto median_of(const Near& near, std::integer_sequence<int, I...>) const {
    constexpr auto r = radius();
    using V = decltype(near(0, 0, 0));
    V v[] = {turned(near(I / (Side * Side) - r.z, I / Side % Side - r.y, I % Side - r.x))...};
    return turned(selection::median(v));
  }
  template <class V>
  MACAREU_HD V turned(V v) const {
    if constexpr (std::is_floating_point_v<Value>)
      return v;
    else
      return static_cast<V>(v ^ sign);
  }
};

/// Median of keys with `bits` significant bits, for windows too large to keep. Finds, bit by bit, the largest
/// number that at most half of the pixels are below.
template <int R, class Key>
struct median_by_bits {
  static constexpr bool wide = true;
  using value = Key;
  int bits;

  MACAREU_HD static constexpr window_radius radius() { return {R, R, R}; }
  template <class Near>
  MACAREU_HD auto operator()(site, const Near& near) const {
    using V = decltype(near(0, 0, 0));
    const V none = near(0, 0, 0) ^ near(0, 0, 0), one = static_cast<V>(none + Key{1});
    constexpr int side = 2 * R + 1;
    V answer = none;
    for (int bit = bits - 1; bit >= 0; --bit) {
      const Key place = static_cast<Key>(Key{1} << bit);
      const V tried = static_cast<V>(answer | place);
      V not_below = none;
      for (int dz = -R; dz <= R; ++dz)
        for (int dy = -R; dy <= R; ++dy)
          for (int dx = -R; dx <= R; ++dx)
            not_below = static_cast<V>(not_below + where_not_above(tried, near(dz, dy, dx), one, none));
      // At most half are below if more than half are not.
      answer = where_not_above(static_cast<V>(none + static_cast<Key>(side * side * side / 2 + 1)), not_below,
                               tried, answer);
    }
    return answer;
  }
};

}  // namespace macareu

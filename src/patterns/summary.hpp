// summary (R2S): smallest and largest value with their first positions; for integers also the sum and the sum
// of squares. It is a reduce that engines implement separately, because a fast version is worth it.
//
// Laws. As reduce: exact in any order. Sums are modulo 2^128, above the sums of 2^62 pixels; 64-bit integers
// have no sum of squares. Floats have no sums here (operators/measures/moments.hpp), and no NaN. -0 is +0.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/frame.hpp"
#include "core/key.hpp"
#include "patterns/reduce.hpp"

namespace macareu {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

template <class T>
inline constexpr bool has_squares = std::is_integral_v<T> && sizeof(T) < 8;

template <class T>
struct summary {
  key_of<T> lowest, highest;
  std::int64_t lowest_at, highest_at;  // index_of() in the whole image
  int128 sum;
  uint128 squares;
  bool operator==(const summary&) const = default;
};

template <class T>
struct summary_of {
  using value = summary<T>;
  frame whole;

  MACAREU_HD value identity() const {
    constexpr auto far = std::numeric_limits<std::int64_t>::max();
    return {std::numeric_limits<key_of<T>>::max(), 0, far, far, 0, 0};
  }
  MACAREU_HD value lift(site p, T pixel) const {
    const auto key = to_key(without_negative_zero(pixel));
    const auto at = whole.index_of(p);
    value one{key, key, at, at, 0, 0};
    if constexpr (std::is_integral_v<T>) one.sum = pixel;
    if constexpr (has_squares<T>)
      one.squares = static_cast<uint128>(static_cast<std::int64_t>(pixel)) *
                    static_cast<uint128>(static_cast<std::int64_t>(pixel));
    return one;
  }
  MACAREU_HD value join(const value& a, const value& b) const {
    const bool b_low = b.lowest < a.lowest || (b.lowest == a.lowest && b.lowest_at < a.lowest_at);
    const bool b_high = b.highest > a.highest || (b.highest == a.highest && b.highest_at < a.highest_at);
    return {b_low ? b.lowest : a.lowest,
            b_high ? b.highest : a.highest,
            b_low ? b.lowest_at : a.lowest_at,
            b_high ? b.highest_at : a.highest_at,
            a.sum + b.sum,
            a.squares + b.squares};
  }
};

/// Engines count positions in their part.
template <class T, class Part>
summary_of<T> summary_of_part(const Part& part) {
  return {{part.depth, part.height, part.width, {0, 0, 0}}};
}
/// Converts positions in a part to positions in the whole; the first stays the first.
template <class T, class Image>
summary<T> in_whole(const summary_of<T>& rule, const Image& image, summary<T> found) {
  const auto part = summary_of_part<T>(image.pixels());
  const auto place = [&](std::int64_t at) {
    return at == part.identity().lowest_at ? at
                                           : rule.whole.index_of(part.whole.site_at(at) + image.origin());
  };
  found.lowest_at = place(found.lowest_at);
  found.highest_at = place(found.highest_at);
  return found;
}

}  // namespace macareu

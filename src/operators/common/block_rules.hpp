// Blocks of pixels, each reduced to one.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/key_map.hpp"
#include "core/site.hpp"
#include "patterns/summary.hpp"

namespace macareu {

/// The last block along an axis may be incomplete.
struct pixel_blocks {
  site factor, size;  // of a block, and of the image
  bool middle_only;   // the pixel nearest to the middle; of equals, the first

  MACAREU_HD site first(site p) const {
    const site begin = begin_of(p);
    return middle_only ? middle(begin, end_of(begin)) : begin;
  }
  MACAREU_HD site last(site p) const {
    const site begin = begin_of(p), end = end_of(begin);
    return middle_only ? middle(begin, end) : end - site{1, 1, 1};
  }

 private:
  MACAREU_HD site begin_of(site p) const { return {p.z * factor.z, p.y * factor.y, p.x * factor.x}; }
  MACAREU_HD site end_of(site begin) const {
    const site end = begin + factor;
    return {end.z < size.z ? end.z : size.z, end.y < size.y ? end.y : size.y,
            end.x < size.x ? end.x : size.x};
  }
  MACAREU_HD static site middle(site begin, site end) {
    return {(begin.z + end.z - 1) / 2, (begin.y + end.y - 1) / 2, (begin.x + end.x - 1) / 2};
  }
};

/// Integers are exact, and halves are rounded up. Floats are added in f64, in raster order.
template <class T>
struct block_mean : pixel_blocks {
  using sum = std::conditional_t<std::is_floating_point_v<T>, double,
                                 std::conditional_t<(sizeof(T) < 4), std::int64_t, int128>>;

  template <class In>
  MACAREU_HD T operator()(site p, const In& in) const {
    const site begin = first(p), end = last(p);
    sum total = 0;
    for (auto z = begin.z; z <= end.z; ++z)
      for (auto y = begin.y; y <= end.y; ++y)
        for (auto x = begin.x; x <= end.x; ++x) total += static_cast<sum>(in(site{z, y, x}));
    return mean(total,
                static_cast<sum>((end.z - begin.z + 1) * (end.y - begin.y + 1) * (end.x - begin.x + 1)));
  }

  MACAREU_HD T mean(sum total, sum count) const {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(total / count);
    } else {
      const sum doubled = 2 * total + count, divisor = 2 * count, quotient = doubled / divisor;
      return static_cast<T>(quotient - (doubled % divisor < 0));
    }
  }
  /// Whether sums of blocks fit u32.
  bool sums_blocks() const requires(std::is_unsigned_v<T> && sizeof(T) <= 2) {
    return !middle_only && factor.z == 1 && factor.y <= 256 && factor.x <= 256;
  }
};

/// By keys, so that one kernel serves all types of a width.
template <class Key>
struct block_maximum : pixel_blocks {
  key_map<Key> order;

  template <class In>
  MACAREU_HD Key operator()(site p, const In& in) const {
    const site begin = first(p), end = last(p);
    Key most = order.key(in(begin));
    for (auto z = begin.z; z <= end.z; ++z)
      for (auto y = begin.y; y <= end.y; ++y)
        for (auto x = begin.x; x <= end.x; ++x) {
          const Key own = order.key(in(site{z, y, x}));
          most = own > most ? own : most;
        }
    return order.bits(most);
  }
};

}  // namespace macareu

// Bits of a pixel to its key and back (core/key.hpp), chosen at run time: one kernel serves every type of a
// width, in both directions.
#pragma once

#include <type_traits>

#include "core/key.hpp"

namespace macareu {

template <class Key>
struct key_map {
  Key flip = 0;
  bool floating = false;

  MACAREU_HD Key key(Key bits) const {
    if (floating) bits ^= static_cast<Key>(bits & sign ? ~Key{0} : sign);
    return bits ^ flip;
  }
  MACAREU_HD Key bits(Key key) const {
    key ^= flip;
    if (floating) key ^= static_cast<Key>(key & sign ? sign : ~Key{0});
    return key;
  }
  /// Keys of NaN, which has no order, lie beyond those of the infinities.
  MACAREU_HD bool is_nan(Key key) const {
    if constexpr (sizeof(Key) < 4) return false;
    constexpr Key infinity = sizeof(Key) == 8 ? static_cast<Key>(0x7ff0000000000000) : Key{0x7f800000};
    return floating && (bits(key) & static_cast<Key>(~sign)) > infinity;
  }

  /// Keys are the bits: nothing to convert.
  constexpr bool is_identity() const { return flip == 0 && !floating; }
  /// The same pixels in reverse order.
  constexpr key_map reversed() const { return {static_cast<Key>(~flip), floating}; }

  static constexpr Key sign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
};

/// Keys in the order of values.
template <class T>
constexpr key_map<key_of<T>> rising_keys() {
  using K = key_of<T>;
  return {std::is_integral_v<T> && std::is_signed_v<T> ? key_map<K>::sign : K{0},
          std::is_floating_point_v<T>};
}

}  // namespace macareu

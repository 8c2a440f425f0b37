// A bottleneck wave for the strategies: device images as bits of the pixel type, and the map from bits to
// rising keys. So kernels are compiled once per key width, not per rule and pixel type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/key.hpp"
#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "patterns/wave.hpp"

namespace macareu::cuda {

/// Adds to the counts of other strategies of the same wave. -1 in a report means not counted.
inline void add_to_count(std::int64_t& count, std::int64_t more) {
  count = std::max<std::int64_t>(count, 0) + more;
}

/// Bits of a pixel to its rising key and back (core/key.hpp, patterns/wave.hpp), for every type of a width.
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

  static constexpr Key sign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
};

template <direction Toward, class T>
constexpr key_map<key_of<T>> key_map_of() {
  using K = key_of<T>;
  K flip = Toward == direction::up ? K{0} : static_cast<K>(~K{0});
  if (std::is_integral_v<T> && std::is_signed_v<T>) flip ^= key_map<K>::sign;
  return {flip, std::is_floating_point_v<T>};
}

template <class Key>
struct bottleneck_problem {
  view<Key> state;        // the result, as bits
  view<const Key> start;  // not clipped yet; may be the state's own memory
  view<const Key> capacity;
  key_map<Key> map;
  neighbourhood near;

  /// Keys; the start is clipped to the capacity.
  MACAREU_HD Key capacity_at(site p) const { return map.key(capacity[p]); }
  MACAREU_HD Key start_at(site p) const {
    const Key key = map.key(start[p]), most = capacity_at(p);
    return key < most ? key : most;
  }
};

}  // namespace macareu::cuda

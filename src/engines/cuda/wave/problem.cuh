// A bottleneck wave for the strategies: device images as bits of the pixel type, and the map from bits to
// rising keys. So kernels are compiled once per key width, not per rule and pixel type.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/key_map.hpp"
#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "patterns/wave.hpp"

namespace macareu::cuda {

/// Adds to the counts of other strategies of the same wave. -1 in a report means not counted.
inline void add_to_count(std::int64_t& count, std::int64_t more) {
  count = std::max<std::int64_t>(count, 0) + more;
}

template <direction Toward, class T>
constexpr key_map<key_of<T>> key_map_of() {
  return Toward == direction::up ? rising_keys<T>() : rising_keys<T>().reversed();
}

template <class Key>
struct bottleneck_problem {
  view<Key> state;        // the result, as bits
  view<const Key> start;  // not clipped yet; may be the state's own memory
  view<const Key> capacity;
  key_map<Key> map;
  neighbourhood near;
  bool from_border = false;  // starts are the capacities on the border of the image; `start` is not read

  /// Keys; the start is clipped to the capacity.
  MACAREU_HD Key capacity_at(site p) const { return map.key(capacity[p]); }
  MACAREU_HD Key start_at(site p) const {
    const Key key = map.key(start[p]), most = capacity_at(p);
    return key < most ? key : most;
  }
};

}  // namespace macareu::cuda

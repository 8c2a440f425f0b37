// Permutation of vector lanes.
#pragma once

namespace macareu::cpu {

/// One vector with the lanes at these places of the concatenation of `low` and `high`.
template <int... Place, class V>
[[gnu::always_inline]] inline V shuffled(V low, V high) {
#if defined(__clang__) || __GNUC__ >= 12
  return __builtin_shufflevector(low, high, Place...);
#else
  const decltype(low < high) places = {Place...};
  return __builtin_shuffle(low, high, places);
#endif
}

}  // namespace macareu::cpu

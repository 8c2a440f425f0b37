// Lanes of vectors in another order.
#pragma once

namespace macareu::cpu {

/// The lanes at these places of `low` and, after it, `high`; as many as a vector has.
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

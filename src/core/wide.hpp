// Functions that rules apply to scalars and to SIMD vectors alike. Engines overload them where operators on
// their vectors do not suffice.
#pragma once

#include <cmath>
#include <type_traits>

#include "core/macros.hpp"

namespace macareu {

template <class V>
MACAREU_HD inline V lesser(V a, V b) {
  return b < a ? b : a;
}

template <class V>
MACAREU_HD inline V greater(V a, V b) {
  return a < b ? b : a;
}

/// Floats only. Returns either value where both are equal or one is NaN, which allows a single instruction.
template <class V>
MACAREU_HD inline V either_lesser(V a, V b) {
#ifdef __aarch64__
  if constexpr (!std::is_arithmetic_v<V>) {
    V result;
    for (unsigned i = 0; i < sizeof a / sizeof a[0]; ++i) result[i] = std::fmin(a[i], b[i]);
    return result;
  }
#endif
  return lesser(a, b);
}
template <class V>
MACAREU_HD inline V either_greater(V a, V b) {
#ifdef __aarch64__
  if constexpr (!std::is_arithmetic_v<V>) {
    V result;
    for (unsigned i = 0; i < sizeof a / sizeof a[0]; ++i) result[i] = std::fmax(a[i], b[i]);
    return result;
  }
#endif
  return greater(a, b);
}

/// yes where a <= b, else no.
template <class V>
MACAREU_HD inline V where_not_above(V a, V b, V yes, V no) {
  return a <= b ? yes : no;
}

/// The same value in all lanes.
template <class V, class T>
MACAREU_HD inline V everywhere(T value) {
  return V{} + value;
}

template <class V>
MACAREU_HD inline V magnitude(V a) {
  if constexpr (std::is_arithmetic_v<V>) {
    return a < V{} ? -a : a;
  } else {  // clears the sign bit: one instruction
#ifdef __aarch64__
    V result;
    for (unsigned i = 0; i < sizeof a / sizeof a[0]; ++i) result[i] = std::fabs(a[i]);
    return result;
#else
    using bits = decltype(a < a);
    return (V)((bits)a & ~(bits)(-V{}));
#endif
  }
}

/// Floats only: a, or -a where b is below 0. Either where b is 0.
template <class V>
MACAREU_HD inline V turned_by(V a, V b) {
  if constexpr (std::is_arithmetic_v<V>) {
    return b < V{} ? -a : a;
  } else {
    using bits = decltype(a < a);
    return (V)((bits)a ^ ((bits)b & (bits)(-V{})));
  }
}

/// In another type.
template <class To, class V>
MACAREU_HD inline auto converted_to(const V& value) {
  if constexpr (std::is_arithmetic_v<V>) {
    return static_cast<To>(value);
  } else {
#ifndef __CUDACC__  // which takes no such type into code for a GPU
    constexpr auto count = sizeof value / sizeof value[0];
    typedef To vector __attribute__((vector_size(count * sizeof(To))));
    return __builtin_convertvector(value, vector);
#endif
  }
}

/// Correctly rounded, of f32 and f64.
template <class V>
MACAREU_HD inline V root(V value) {
  if constexpr (std::is_arithmetic_v<V>) {
    return std::sqrt(value);
  } else {
    V result;
    for (unsigned i = 0; i < sizeof value / sizeof value[0]; ++i) result[i] = std::sqrt(value[i]);
    return result;
  }
}

}  // namespace macareu

// Every pixel type maps to an unsigned key of the same size and order. An engine then needs one kernel per
// width, not per type. Floats: -0 sorts below +0, and NaN must have been refused before.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/macros.hpp"

namespace macareu {

namespace detail {
template <std::size_t Size>
struct unsigned_of;
template <>
struct unsigned_of<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = std::uint64_t;
};
}  // namespace detail

template <class T>
using key_of = typename detail::unsigned_of<sizeof(T)>::type;

template <class T>
MACAREU_HD constexpr key_of<T> to_key(T value) {
  using K = key_of<T>;
  constexpr K sign = K{1} << (8 * sizeof(K) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    const K bits = std::bit_cast<K>(value);
    return bits & sign ? static_cast<K>(~bits) : static_cast<K>(bits | sign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<K>(static_cast<K>(value) ^ sign);
  } else {
    return static_cast<K>(value);
  }
}

template <class T>
MACAREU_HD constexpr T from_key(key_of<T> key) {
  using K = key_of<T>;
  constexpr K sign = K{1} << (8 * sizeof(K) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(key & sign ? static_cast<K>(key ^ sign) : static_cast<K>(~key));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<K>(key ^ sign));
  } else {
    return static_cast<T>(key);
  }
}

/// Maps -0 to +0, for comparisons of equality such as plateaus.
template <class T>
MACAREU_HD constexpr T without_negative_zero(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return value == T{0} ? T{0} : value;
  else
    return value;
}

}  // namespace macareu

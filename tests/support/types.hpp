// All pixel types and connectivities.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include <macareu/catalogue.hpp>
#include <macareu/connectivity.hpp>
#include <macareu/image.hpp>

namespace macareu::test {

inline constexpr std::array all_types{dtype::boolean, dtype::i8,  dtype::u8,  dtype::i16,
                                      dtype::u16,     dtype::i32, dtype::u32, dtype::i64,
                                      dtype::u64,     dtype::f32, dtype::f64};

inline bool takes(const operator_description& about, dtype type) {
  return about.types.empty() || std::ranges::find(about.types, type) != about.types.end();
}

/// The image itself, or the same in three channels for operators that take colour.
inline const_image_view in_channels_of(const operator_description& about, const const_image_view& grey) {
  if (!about.takes_colour) return grey;
  return {grey.data(), grey.type(), grey.shape(), grey.steps(), 3, 0};
}

struct neighbours {
  int count;
  int rank;
};
inline constexpr std::array<neighbours, 5> all_neighbours{{{4, 2}, {8, 2}, {6, 3}, {18, 3}, {26, 3}}};

/// Calls visit.operator()<T>(). The values of a bool image are bytes.
template <class Visit>
decltype(auto) with_type(dtype type, Visit&& visit) {
  switch (type) {
    case dtype::boolean:
    case dtype::u8:
      return visit.template operator()<std::uint8_t>();
    case dtype::i8:
      return visit.template operator()<std::int8_t>();
    case dtype::i16:
      return visit.template operator()<std::int16_t>();
    case dtype::u16:
      return visit.template operator()<std::uint16_t>();
    case dtype::i32:
      return visit.template operator()<std::int32_t>();
    case dtype::u32:
      return visit.template operator()<std::uint32_t>();
    case dtype::i64:
      return visit.template operator()<std::int64_t>();
    case dtype::u64:
      return visit.template operator()<std::uint64_t>();
    case dtype::f32:
      return visit.template operator()<float>();
    default:
      return visit.template operator()<double>();
  }
}

/// The order of values, with -0 below +0.
template <class T>
bool before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  else
    return a < b;
}

}  // namespace macareu::test

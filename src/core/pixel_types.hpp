// Dispatch from the pixel type at run time to a template argument.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <macareu/error.hpp>
#include <macareu/image.hpp>

namespace macareu {

namespace detail {
template <class T>
struct pixel_without_sign {
  using type = T;
};
template <std::signed_integral T>
struct pixel_without_sign<T> {
  using type = std::make_unsigned_t<T>;
};
}  // namespace detail

/// For operators that copy pixels or compare them with zero: signed integers share the code of unsigned ones.
template <class T>
using without_sign = typename detail::pixel_without_sign<T>::type;

/// Calls visit(std::type_identity<T>). A bool image is visited as bytes of 0 and 1.
template <class Visit>
decltype(auto) with_pixel_type(dtype type, Visit&& visit) {
  switch (type) {
    case dtype::boolean:
    case dtype::u8:
      return visit(std::type_identity<std::uint8_t>{});
    case dtype::i8:
      return visit(std::type_identity<std::int8_t>{});
    case dtype::i16:
      return visit(std::type_identity<std::int16_t>{});
    case dtype::u16:
      return visit(std::type_identity<std::uint16_t>{});
    case dtype::i32:
      return visit(std::type_identity<std::int32_t>{});
    case dtype::u32:
      return visit(std::type_identity<std::uint32_t>{});
    case dtype::i64:
      return visit(std::type_identity<std::int64_t>{});
    case dtype::u64:
      return visit(std::type_identity<std::uint64_t>{});
    case dtype::f32:
      return visit(std::type_identity<float>{});
    case dtype::f64:
      return visit(std::type_identity<double>{});
  }
  throw internal_error("no such pixel type");
}

}  // namespace macareu

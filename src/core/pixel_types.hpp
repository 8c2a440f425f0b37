// Dispatch from the pixel type at run time to a template argument.
#pragma once

#include <cstdint>
#include <type_traits>

#include <macareu/error.hpp>
#include <macareu/image.hpp>

namespace macareu {

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

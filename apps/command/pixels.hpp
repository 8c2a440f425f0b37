// From a pixel type known at run time to a C++ type.
#pragma once

#include <cstdint>
#include <span>

#include <macareu/error.hpp>
#include <macareu/image.hpp>

namespace macareu::tool {

/// Calls visit(span of the image's values, channels interleaved).
template <class Visit>
auto with_pixels(const image& from, Visit&& visit) {
  switch (from.type()) {
    case dtype::boolean:
      return visit(from.pixels<bool>());
    case dtype::i8:
      return visit(from.pixels<std::int8_t>());
    case dtype::u8:
      return visit(from.pixels<std::uint8_t>());
    case dtype::i16:
      return visit(from.pixels<std::int16_t>());
    case dtype::u16:
      return visit(from.pixels<std::uint16_t>());
    case dtype::i32:
      return visit(from.pixels<std::int32_t>());
    case dtype::u32:
      return visit(from.pixels<std::uint32_t>());
    case dtype::i64:
      return visit(from.pixels<std::int64_t>());
    case dtype::u64:
      return visit(from.pixels<std::uint64_t>());
    case dtype::f32:
      return visit(from.pixels<float>());
    case dtype::f64:
      return visit(from.pixels<double>());
  }
  throw internal_error("no such pixel type");
}

}  // namespace macareu::tool

// Masks are bytes of 0 and 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "core/plain_pixels.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu {

struct nowhere {
  MACAREU_HD std::uint8_t operator()(site) const { return 0; }
};

struct not_zero {
  template <class T>
  MACAREU_HD std::uint8_t operator()(site, T value) const {
    return value != T{};
  }
};

/// visit(bytes that are zero or not): the image itself, or a mask of wider pixels. The code behind it is
/// compiled for one type.
template <class Engine, class Image, class Visit>
void with_bytes(Engine& engine, const Image& image, const Visit& visit) {
  if constexpr (sizeof(pixel_of<Image>) == 1) {
    visit(plain(image));
  } else {
    const auto mask = temporary<std::uint8_t>(engine, image);
    engine.map(not_zero{}, mask.image(), image);
    visit(mask.reading());
  }
}

/// An optional input of any type as a mask; without it there is none, so ask call.has_input() first.
template <class Engine>
auto mask_of_input(Engine& engine, const call& call, std::size_t index) {
  auto mask = temporary<std::uint8_t>(engine, engine.template input<std::uint8_t>(call, index));
  with_pixel_type(call.inputs[index].type(), [&]<class T>(std::type_identity<T>) {
    using pixel = without_sign<T>;
    engine.map(not_zero{}, mask.image(), input<pixel>(engine, call, index));
  });
  return mask;
}

template <class T>
struct at_least {
  T first;
  MACAREU_HD std::uint8_t operator()(site, T value) const { return value >= first; }
};

}  // namespace macareu

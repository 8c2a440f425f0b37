// Masks are bytes of 0 and 1.
#pragma once

#include <cstdint>

#include "core/plain_pixels.hpp"
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

/// visit(bytes of which only zero or not matters): the image itself, or a mask of wider pixels. So what
/// follows is compiled for one type.
template <class T, class Engine, class Visit>
void with_bytes(Engine& engine, view<const T> image, const Visit& visit) {
  if constexpr (sizeof(T) == 1) {
    visit(plain(image));
  } else {
    const auto mask =
        engine.temporary(view<const std::uint8_t>{nullptr, image.depth, image.height, image.width});
    engine.map(not_zero{}, mask.pixels(), image);
    visit(view<const std::uint8_t>(mask.pixels()));
  }
}

template <class T>
struct at_least {
  T first;
  MACAREU_HD std::uint8_t operator()(site, T value) const { return value >= first; }
};

}  // namespace macareu

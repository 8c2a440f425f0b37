// Pixels where only zero and equality matter: integers of one size share their code, which is compiled once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/key.hpp"

namespace macareu {

template <class T>
struct plain_pixel {
  using type = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
};
template <>
struct plain_pixel<float> {  // -0 is zero
  using type = float;
};
template <>
struct plain_pixel<double> {
  using type = double;
};

/// Pixels that are only copied: all types of one size share their code.
template <class Image>
auto as_bits(const Image& image) {
  using T = typename Image::pixel;
  using bits = key_of<std::remove_const_t<T>>;
  return image.template as<std::conditional_t<std::is_const_v<T>, const bits, bits>>();
}

template <class Image>
auto plain(const Image& image) {
  using T = typename Image::pixel;
  using bare = typename plain_pixel<std::remove_const_t<T>>::type;
  return image.template as<std::conditional_t<std::is_const_v<T>, const bare, bare>>();
}

}  // namespace macareu

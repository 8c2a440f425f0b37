// Pixels where only zero and equality matter: integers of one size share their code, which is compiled once.
#pragma once

#include <cstdint>
#include <type_traits>

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

template <class Image>
auto plain(const Image& image) {
  using T = typename Image::pixel;
  using bare = typename plain_pixel<std::remove_const_t<T>>::type;
  return image.template as<std::conditional_t<std::is_const_v<T>, const bare, bare>>();
}

}  // namespace macareu

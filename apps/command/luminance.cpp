#include "luminance.hpp"

#include <type_traits>

#include "pixels.hpp"

namespace macareu::tool {
namespace {

/// Quotients and remainders by 1000 apart, so that 64-bit values do not overflow.
template <class T>
T weighted(T red, T green, T blue) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(0.299 * static_cast<double>(red) + 0.587 * static_cast<double>(green) +
                          0.114 * static_cast<double>(blue));
  } else {
    using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const wide r = +red, g = +green, b = +blue;
    const wide whole = 299 * (r / 1000) + 587 * (g / 1000) + 114 * (b / 1000);
    const auto rest = static_cast<std::int64_t>(299 * (r % 1000) + 587 * (g % 1000) + 114 * (b % 1000)) + 500;
    const auto carry = rest / 1000 - (rest % 1000 < 0 ? 1 : 0);  // rounded down, below zero too
    return static_cast<T>(whole + static_cast<wide>(carry));
  }
}

}  // namespace

image luminance(const image& colour) {
  image grey(colour.type(), colour.shape());
  const auto step = static_cast<std::size_t>(colour.channels());
  with_pixels(colour, [&]<class T>(std::span<const T> from) {
    const auto to = grey.pixels<T>();
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = weighted<T>(from[i * step], from[i * step + 1], from[i * step + 2]);
  });
  return grey;
}

}  // namespace macareu::tool

// Erosion and dilation by a flat footprint, and what is made of them. Only the order of pixels matters, so
// all but differences is compiled for widths of pixels, not for types.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/call.hpp"
#include "core/key_map.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/numbers.hpp"
#include "operators/filters/linear_filter.hpp"
#include "operators/morphology/footprints.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

/// Orders and borders of pixels, as bits, for the two directions.
template <class Key>
struct flat_pixels {
  key_map<Key> rising;
  border<Key> of_erosion, of_dilation;
};

template <class T>
flat_pixels<key_of<T>> flat_pixels_of(const call& call) {
  using Key = key_of<T>;
  using limits = std::numeric_limits<T>;
  constexpr bool infinite = std::is_floating_point_v<T>;
  const T highest = call.of_booleans() ? T{1} : infinite ? limits::infinity() : limits::max();
  const T lowest = infinite ? -limits::infinity() : limits::lowest();
  // The identities of minimum and maximum leave out what is outside.
  const auto edge = [&](T identity) -> border<Key> {
    if (call.chosen("border", "ignore")) return {border_mode::constant, std::bit_cast<Key>(identity)};
    const T outside = std::min(pixel_from<T>(call.quantity("outside")), highest);
    return {border_named(call.choice("border")), std::bit_cast<Key>(outside)};
  };
  return {rising_keys<T>(), edge(highest), edge(lowest)};
}

template <class Key, class Engine>
class flat_filter {
 public:
  using image = image_in<Engine, Key>;
  using read_image = image_in<Engine, const Key>;

  flat_filter(Engine& engine, const call& call, const flat_pixels<Key>& pixels)
      : engine_(engine), pixels_(pixels), footprint_(footprint_of(engine, call)) {}

  /// The least of f(p + b).
  void erode(const image& out, const read_image& in) const {
    engine_.extremes(pixels_.rising, footprint_, pixels_.of_erosion, out, in);
  }
  /// The greatest of f(p - b).
  void dilate(const image& out, const read_image& in) const {
    engine_.extremes(pixels_.rising.reversed(), reflected(footprint_), pixels_.of_dilation, out, in);
  }
  void open(const image& out, const read_image& in) const {
    const auto eroded = temporary<Key>(engine_, in);
    erode(eroded.image(), in);
    dilate(out, eroded.reading());
  }
  void close(const image& out, const read_image& in) const {
    const auto dilated = temporary<Key>(engine_, in);
    dilate(dilated.image(), in);
    erode(out, dilated.reading());
  }

 private:
  Engine& engine_;
  flat_pixels<Key> pixels_;
  std::vector<chord> footprint_;
};

template <class T, class Engine>
flat_filter<key_of<T>, Engine> flat_filter_of(Engine& engine, const call& call) {
  return {engine, call, flat_pixels_of<T>(call)};
}

/// a - b of integers as bits, of any sign, saturated at the ends of the type. `sign` is the sign's bit, or 0.
template <class Key>
struct difference_of_bits {
  Key sign;
  MACAREU_HD Key operator()(site, Key a, Key b) const {
    const Key high = a ^ sign, low = b ^ sign, highest = static_cast<Key>(~sign);
    const Key up = static_cast<Key>(high - low), down = static_cast<Key>(low - high);
    if (high >= low) return up < highest ? up : highest;
    return static_cast<Key>(0 - (down < sign ? down : sign));
  }
};
struct difference_of_floats {
  template <class T>
  MACAREU_HD T operator()(site, T a, T b) const {
    return a == b ? T{0} : a - b;  // equal infinities too
  }
};

/// out = a - b, which may be out.
template <class T, class Engine>
void subtract_into(Engine& engine, const call& call, const image_in<Engine, const key_of<T>>& a,
                   const image_in<Engine, const key_of<T>>& b) {
  using Key = key_of<T>;
  if constexpr (std::is_floating_point_v<T>)
    engine.map(difference_of_floats{}, output<T>(engine, call, 0), a.template as<const T>(),
               b.template as<const T>());
  else
    engine.map(difference_of_bits<Key>{std::is_signed_v<T> ? key_map<Key>::sign : Key{0}},
               output<Key>(engine, call, 0), a, b);
}

inline constexpr char flat_notes[] =
    "The footprint is a disc, rectangle, diamond or line around the pixel, or an image. The middle of n "
    "of its pixels is n / 2, rounded down. A line has n / 2 pixels on the side that is first in raster "
    "order, and (n - 1) / 2 on the other. Its two ends are rounded to pixels, and so are those between, at "
    "equal parts. Halves are rounded away from the middle, and sines to 40 bits. By default what lies outside the image "
    "is left out, as in ITK, MATLAB and OpenCV. For discs, diamonds and rectangles with odd sides, the "
    "borders reflect and nearest give the same. Those are the results of SciPy and scikit-image by "
    "default. NaN is refused.";

}  // namespace macareu::operators

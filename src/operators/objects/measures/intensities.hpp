// Intensities as integers, so that sums do not depend on their order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/objects/measures/intensity_sums.hpp"
#include "patterns/images.hpp"
#include "patterns/reduce.hpp"

namespace macareu {

/// Over the pixels of objects, as the bits of a double without its sign. Their order is that of magnitudes,
/// with infinity above all numbers and NaN above infinity.
struct greatest_magnitude {
  using value = std::uint64_t;
  MACAREU_HD value identity() const { return 0; }
  template <class Label, class T>
  MACAREU_HD value lift(site, Label label, T intensity) const {
    constexpr auto sign = std::uint64_t{1} << 63;
    return label != 0 ? std::bit_cast<value>(static_cast<double>(intensity)) & ~sign : 0;
  }
  MACAREU_HD value join(value a, value b) const { return a > b ? a : b; }
};

struct has_no_mean {
  template <class Label, class T>
  MACAREU_HD bool operator()(Label label, T intensity) const {
    return label != 0 && !(intensity - intensity == 0);  // infinity, NaN
  }
};

/// Scales intensities of objects to at most 2^43, so that the squares of 2^40 pixels sum to at most 126 bits.
/// Pixels outside objects do not count.
template <class Image, class Labels, class Engine>
intensity_scale scale_of(Engine& engine, const call& call, const Labels& labels, const Image& intensity) {
  using T = pixel_of<Image>;
  if constexpr (std::is_integral_v<T> && sizeof(T) < 8) return {};
  const auto greatest = std::bit_cast<double>(engine.reduce(greatest_magnitude{}, labels, intensity));
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(greatest)) {
      const site p = *find_first(engine, has_no_mean{}, labels, intensity);
      const std::string found = std::isnan(engine.read(intensity, p)) ? "NaN" : "infinite";
      throw call_error({.kind = fault::pixels,
                        .operation = std::string(call.about.name),
                        .parts = {input_named("intensity"), " is " + found + " at " + place(call, p) +
                                                                ", in an object; replace it, it has no mean"},
                        .given = found});
    }
  constexpr int bits = 43;
  if (greatest == 0) return {};
  const int exponent = bits - 1 - std::ilogb(greatest);
  if (std::is_integral_v<T> && exponent >= 0) return {};
  return {std::ldexp(1.0, std::min(exponent, 1000))};
}

}  // namespace macareu

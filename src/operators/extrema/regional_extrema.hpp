// Regional maxima and minima. With "just below f" the next lower value of the type,
//   maxima(f) = { p : f(p) > R_f(just below f)(p) }   (Vincent 1993, section 4.3)
// where R is reconstruction by dilation: it restores a plateau only if a higher pixel touches it. Minima are
// symmetric.
//
// An engine that finds summits, the pixels without a higher neighbour, need not flood values. Connected
// summits are all maxima or none. They are none if one of them touches a pixel of the same value that is no
// summit.
#pragma once

#include <limits>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/flood.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/range.hpp"
#include "operators/reconstruction/flood_from.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/summits.hpp"
#include "patterns/wave.hpp"

namespace macareu {

template <direction Toward>
struct one_step_back {
  template <class T>
  MACAREU_HD T operator()(site, T value) const {
    constexpr T last =
        std::numeric_limits<T>::has_infinity
            ? (Toward == direction::up ? -std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::infinity())
            : (Toward == direction::up ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
    const T plain = without_negative_zero(value);
    if (plain == last) return plain;
    return from_rising_key<Toward, T>(static_cast<key_of<T>>(rising_key<Toward>(plain) - 1));
  }
};

template <direction Toward>
struct flood_plateaus {
  using algebra = bottleneck<Toward>;
  template <class T>
  MACAREU_HD T capacity(site, T value) const {
    return without_negative_zero(value);
  }
};

template <direction Toward>
struct stands_out {
  template <class T>
  MACAREU_HD std::uint8_t operator()(site, T value, T flooded) const {
    return rising_key<Toward>(without_negative_zero(value)) > rising_key<Toward>(flooded);
  }
};

struct not_flooded {
  MACAREU_HD std::uint8_t operator()(site, std::uint8_t summit, std::uint8_t flooded) const {
    return summit & (flooded ^ 1);
  }
};

template <direction Toward, class T, class Engine>
void extrema_from_summits(Engine& engine, const call& call) {
  const auto image = input<T>(engine, call, 0);
  const auto out = output<std::uint8_t>(engine, call, 0);
  const auto flooded = temporary<std::uint8_t>(engine, image);
  const auto summits = out.reading(), states = flooded.reading();  // `states` starts as the undercut summits
  const auto found = engine.template summits<Toward>(call.near(), out, flooded.image(), image);
  if (found.everywhere) return engine.map(nowhere{}, out);
  if (!found.undercut) return;
  engine.wave(flood_from<std::uint8_t>{1}, call.near(), flooded.image(), mapped(as_given{}, states), summits);
  engine.map(not_flooded{}, out, summits, states);
}

template <direction Toward, class T, class Engine>
void regional_extrema(Engine& engine, const call& call) {
  refuse_nan<T>(engine, call, 0);
  if constexpr (finds_summits<Engine, Toward, T>) {
    extrema_from_summits<Toward, T>(engine, call);
  } else {
    const auto image = input<T>(engine, call, 0);
    const auto out = output<std::uint8_t>(engine, call, 0);
    const auto range = engine.reduce(key_range<T>{}, image);
    if (range.lowest == range.highest) return engine.map(nowhere{}, out);
    const auto flooded = temporary<T>(engine, image);
    engine.wave(flood_plateaus<Toward>{}, call.near(), flooded.image(),
                mapped(one_step_back<Toward>{}, image), image);
    engine.map(stands_out<Toward>{}, out, image, flooded.reading());
  }
}

}  // namespace macareu

// Regional maxima and minima. With "just below f" the next lower value of the type,
//   maxima(f) = { p : f(p) > R_f(just below f)(p) }   (Vincent 1993, section 4.3)
// where R is reconstruction by dilation: it restores a plateau only if a higher pixel touches it. Minima are
// symmetric.
//
// An engine that finds summits, the pixels without a higher neighbour, need not flood values. Connected
// summits are all maxima or none. They are none if one of them touches a pixel of the same value that is no
// summit.
#pragma once

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

/// Plateaus have one key: that of -0 is +0's.
template <direction Toward>
struct plateau_key {
  template <class T>
  MACAREU_HD key_of<T> operator()(site, T value) const {
    return rising_key<Toward>(without_negative_zero(value));
  }
};

struct one_step_back {
  template <class Key>
  MACAREU_HD Key operator()(site, Key key) const {
    return key > 0 ? static_cast<Key>(key - 1) : key;
  }
};

struct stands_out {
  template <class Key>
  MACAREU_HD std::uint8_t operator()(site, Key key, Key flooded) const {
    return key > flooded;
  }
};

struct not_flooded {
  MACAREU_HD std::uint8_t operator()(site, std::uint8_t summit, std::uint8_t flooded) const {
    return summit & (flooded ^ 1);
  }
};

/// The extrema among summits, which `out` holds.
template <class Engine, class States>
void keep_extrema(Engine& engine, const call& call, const summits_found& found,
                  const image_in<Engine, std::uint8_t>& out, const States& flooded) {
  if (found.everywhere) return engine.map(nowhere{}, out);
  if (!found.undercut) return;
  const auto summits = out.reading(), states = flooded.reading();  // `states` starts as the undercut summits
  engine.wave(flood_from<std::uint8_t>{1}, call.near(), flooded.image(), mapped(as_given{}, states), summits);
  engine.map(not_flooded{}, out, summits, states);
}

/// Maxima of keys. Compiled once for every width of pixels.
template <class Key, class Engine>
void maxima_of_keys(Engine& engine, const call& call, const image_in<Engine, const Key>& keys,
                    const image_in<Engine, std::uint8_t>& out) {
  const auto range = engine.reduce(key_range<Key>{}, keys);
  if (range.lowest == range.highest) return engine.map(nowhere{}, out);
  const auto flooded = temporary<Key>(engine, keys);
  engine.wave(flood_under{}, call.near(), flooded.image(), mapped(one_step_back{}, keys), keys);
  engine.map(stands_out{}, out, keys, flooded.reading());
}

template <direction Toward, class T, class Engine>
void regional_extrema(Engine& engine, const call& call) {
  refuse_nan<T>(engine, call, 0);
  const auto image = input<T>(engine, call, 0);
  const auto out = output<std::uint8_t>(engine, call, 0);
  if constexpr (finds_summits<Engine, Toward, T>) {
    const auto flooded = temporary<std::uint8_t>(engine, image);
    keep_extrema(engine, call, engine.template summits<Toward>(call.near(), out, flooded.image(), image), out,
                 flooded);
  } else {
    const auto keys = temporary<key_of<T>>(engine, image);
    engine.map(plateau_key<Toward>{}, keys.image(), image);
    maxima_of_keys<key_of<T>>(engine, call, keys.reading(), out);
  }
}

}  // namespace macareu

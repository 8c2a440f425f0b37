// The seeds of a watershed: markers, or the labelled minima of the landscape. Landscapes are keys here, with
// the highest key outside the mask.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/find.hpp"
#include "operators/common/flood.hpp"
#include "operators/objects/labels/object_rules.hpp"
#include "operators/objects/regions/watershed_checks.hpp"
#include "patterns/basins.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/wave.hpp"

namespace macareu {

/// Beyond the labels there are two values: outside the mask, and a marker that is refused.
inline constexpr std::uint32_t not_a_label = basin::outside - 1;

struct is_no_label {
  MACAREU_HD bool operator()(std::uint32_t label) const { return label == not_a_label; }
};
/// 1 for a label, 2 for what is none.
struct kind_of_seed {
  MACAREU_HD std::uint8_t operator()(std::uint32_t seed) const {
    return seed == not_a_label ? 2 : seed != 0 && seed != basin::outside;
  }
};

/// Negative markers are the high half of unsigned values. They are refused, as are those outside the mask.
/// The member is bool, because stores of seeds cannot alias it: maps are vectorised then.
template <class T>
struct as_seed {
  bool is_signed;
  MACAREU_HD T most() const {
    const T highest = static_cast<T>(is_signed ? static_cast<T>(~T{0}) >> 1 : static_cast<T>(~T{0}));
    return highest < not_a_label ? highest : static_cast<T>(not_a_label);
  }
  MACAREU_HD std::uint32_t operator()(site, T marker) const {
    return marker > most() ? not_a_label : static_cast<std::uint32_t>(marker);
  }
  MACAREU_HD std::uint32_t operator()(site p, T marker, std::uint8_t inside) const {
    const std::uint32_t seed = (*this)(p, marker), beyond = marker != 0 ? not_a_label : basin::outside;
    return inside ? seed : beyond;
  }
};

struct outside_mask {
  MACAREU_HD std::uint32_t operator()(site, std::uint32_t label, std::uint8_t inside) const {
    return inside ? label : basin::outside;
  }
};

/// Seeds from markers of any type. Only this is compiled for each width.
template <class Engine, class... Mask>
void read_markers(Engine& engine, const call& call, const image_in<Engine, std::uint32_t>& seeds,
                  const Mask&... mask) {
  with_pixel_type(call.inputs[1].type(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      using bare = without_sign<T>;
      engine.map(as_seed<bare>{std::is_signed_v<T>}, seeds, input<bare>(engine, call, 1), mask...);
    }
  });
}

/// The text of a marker.
template <class Engine>
std::string marker_at(Engine& engine, const call& call, site p) {
  return with_pixel_type(call.inputs[1].type(), [&]<class T>(std::type_identity<T>) {
    using bare = without_sign<T>;
    const auto bits = engine.read(input<bare>(engine, call, 1), p);
    return marker_text(static_cast<std::uint64_t>(bits), sizeof(T), std::is_signed_v<T>);
  });
}

template <class Engine, class... Mask>
void seeds_from_markers(Engine& engine, const call& call, const image_in<Engine, std::uint32_t>& seeds,
                        const Mask&... mask) {
  read_markers(engine, call, seeds, mask...);
  const auto found = engine.reduce(any_pixel<kind_of_seed>{{}}, seeds.reading());
  if (found == 1) return;
  const auto p = find_first(engine, is_no_label{}, seeds.reading());
  if (!p) refuse_no_markers(call);
  const bool inside = (... && (engine.read(mask, *p) != 0));
  refuse_marker(call, marker_at(engine, call, *p), *p, inside);
}

struct one_key_higher {
  template <class Key>
  MACAREU_HD Key operator()(site, Key value) const {
    return value == static_cast<Key>(~Key{0}) ? value : static_cast<Key>(value + 1);
  }
};

struct is_below {
  template <class Key>
  MACAREU_HD std::uint8_t operator()(site, Key value, Key flooded) const {
    return value < flooded;
  }
};

/// Inside the mask and not at the highest key.
struct below_highest {
  template <class Key>
  MACAREU_HD std::uint8_t operator()(site, Key value, std::uint8_t inside) const {
    return inside && value != static_cast<Key>(~Key{0});
  }
};

struct inside_at_highest {
  template <class Key>
  MACAREU_HD bool operator()(Key value, std::uint8_t inside) const {
    return inside && value == static_cast<Key>(~Key{0});
  }
};

/// Also parts of the mask that no flood reached.
struct or_not_reached {
  MACAREU_HD std::uint8_t operator()(site, std::uint8_t minimum, std::uint8_t inside,
                                     std::uint8_t reached) const {
    return minimum | (inside & (reached ^ 1));
  }
};

/// Floods keys from `state` down onto `floor`. Starts are images, so that one wave is compiled for each
/// width.
template <class Key, class Engine>
void flood_onto(Engine& engine, const call& call, const image_in<Engine, Key>& state,
                const image_in<Engine, const Key>& floor) {
  engine.wave(flood_over{}, call.near(), state, mapped(as_given{}, state.reading()), floor);
}

/// Labels the regional minima of `levels` inside the mask, and returns their number.
///
/// A minimum is a plateau that a flood one key higher cannot raise. Nothing lies above the highest key: a
/// part of the mask with no other value is a minimum too.
template <class Key, class Engine, class Mask>
std::uint64_t seeds_from_minima(Engine& engine, const call& call,
                                const image_in<Engine, std::uint32_t>& seeds,
                                const image_in<Engine, const Key>& levels, const Mask& mask) {
  const auto minima = temporary<std::uint8_t>(engine, levels);
  {
    const auto flooded = temporary<Key>(engine, levels);
    engine.map(one_key_higher{}, flooded.image(), levels);
    flood_onto<Key>(engine, call, flooded.image(), levels);
    engine.map(is_below{}, minima.image(), levels, flooded.reading());
  }
  if (engine.reduce(any_pixel<inside_at_highest>{{}}, levels, mask)) {
    const auto reached = temporary<std::uint8_t>(engine, levels);
    engine.map(below_highest{}, reached.image(), levels, mask);
    engine.wave(flood_under{}, call.near(), reached.image(), mapped(as_given{}, reached.reading()), mask);
    engine.map(or_not_reached{}, minima.image(), minima.reading(), mask, reached.reading());
  }
  const auto count = engine.component(set_pixels{}, call.near(), seeds, minima.reading());
  engine.map(outside_mask{}, seeds, seeds.reading(), mask);
  return count;
}

}  // namespace macareu

// Shared by the h-operators: the height h in a pixel type, images shifted by it, and their reconstruction.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/flood.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/range.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu {

/// h in steps of an integer type, rounded up; nothing if it exceeds the type's range.
template <class T>
std::optional<key_of<T>> whole_steps(const number& h) {
  const auto limit = std::numeric_limits<key_of<T>>::max();
  return std::visit(
      [&](auto value) -> std::optional<key_of<T>> {
        if constexpr (std::is_floating_point_v<decltype(value)>) {
          const double steps = std::ceil(value);
          if (steps >= std::ldexp(1.0, 8 * sizeof(T))) return std::nullopt;
          return static_cast<key_of<T>>(steps);
        } else {
          if (std::cmp_greater(value, limit)) return std::nullopt;
          return static_cast<key_of<T>>(value);
        }
      },
      h.value());
}

template <class T>
T nearest_float(double h) {
  return h > std::numeric_limits<T>::max() ? std::numeric_limits<T>::infinity() : static_cast<T>(h);
}

/// The largest value; 1 for bool images, which are bytes.
template <class T>
T highest_in_type(const call& call) {
  return call.inputs[0].type() == dtype::boolean ? T{1} : std::numeric_limits<T>::max();
}

/// h as a pixel value, for operators whose result holds values of that type.
template <class T>
T height_in_type(const call& call) {
  const auto& h = call.quantity("h");
  if constexpr (std::is_floating_point_v<T>) {
    return nearest_float<T>(h.to_double());
  } else {
    const auto steps = whole_steps<T>(h);
    const bool whole =
        !std::holds_alternative<double>(h.value()) || std::floor(h.to_double()) == h.to_double();
    if (!whole || !steps || std::cmp_greater(*steps, highest_in_type<T>(call)))
      throw call_error({.kind = fault::value,
                        .operation = std::string(call.about.name),
                        .parts = {parameter_named("h"),
                                  " must be a whole number up to " +
                                      std::to_string(highest_in_type<T>(call)) + " for pixels of type " +
                                      std::string(name_of(call.inputs[0].type())) + ", got " + to_string(h)},
                        .given = to_string(h),
                        .allowed = "whole numbers up to " + std::to_string(highest_in_type<T>(call))});
    return static_cast<T>(*steps);
  }
}
inline void check_height(const call& call) {
  with_pixel_type(call.inputs[0].type(), [&]<class T>(std::type_identity<T>) { height_in_type<T>(call); });
}

/// Moves against the wave's direction, and saturates.
template <direction Toward, class T>
MACAREU_HD T steps_back(T value, key_of<T> steps) {
  const auto key = rising_key<Toward>(value);
  return from_rising_key<Toward, T>(key > steps ? static_cast<key_of<T>>(key - steps) : key_of<T>{0});
}

/// f - h for maxima, f + h for minima.
template <direction Toward, class T>
struct shifted_by {
  T h, highest;
  MACAREU_HD T operator()(site, T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      const T far = Toward == direction::up ? value - h : value + h;
      return far == far ? far : value;  // infinities stay
    } else {
      const T far = steps_back<Toward>(value, static_cast<key_of<T>>(h));
      return far > highest ? highest : far;
    }
  }
};

/// out = reconstruction of f from f - h (maxima) or f + h (minima). It removes extrema lower than h and cuts
/// the others by h.
template <direction Toward, class T, class Engine>
void filter_by_height(Engine& engine, const call& call, const image_in<Engine, T>& out) {
  const auto image = input<T>(engine, call, 0);
  const T h = height_in_type<T>(call);
  refuse_nan<T>(engine, call, 0);
  const shifted_by<Toward, T> shifted{h, highest_in_type<T>(call)};
  engine.wave(flood<Toward>{}, call.near(), out, mapped(shifted, image), image);
}

/// Shifts floats as scikit-image does: slightly further than h, so that rounding never shifts too little.
template <direction Toward, class T>
struct shifted_safely {
  T h;
  MACAREU_HD T operator()(site, T value) const {
    constexpr T resolution = sizeof(T) == 4 ? T(1e-6) : T(1e-15);
    const T margin = (2 * resolution) * (value < 0 ? -value : value);
    const T far = Toward == direction::up ? (value - h) - margin : (value + h) + margin;
    return far == far ? far : value;  // infinities stay
  }
};

/// For integers, with h in steps.
template <direction Toward, class T>
struct shifted_by_steps {
  key_of<T> steps;
  MACAREU_HD T operator()(site, T value) const { return steps_back<Toward>(value, steps); }
};

template <direction Toward, class T>
struct stands_out_by_steps {
  key_of<T> steps;
  MACAREU_HD std::uint8_t operator()(site, T value, T flooded) const {
    return static_cast<key_of<T>>(rising_key<Toward>(value) - rising_key<Toward>(flooded)) >= steps;
  }
};

template <direction Toward>
struct stands_out_by_height {
  double h;
  template <class T>
  MACAREU_HD std::uint8_t operator()(site, T value, T flooded) const {
    const double a = value, b = flooded;
    return (Toward == direction::up ? a - b : b - a) >= h;
  }
};

/// Mask of the extrema whose height is at least h, as scikit-image defines it. Empty if h exceeds the image's
/// range.
template <direction Toward, class T, class Engine>
void h_extrema(Engine& engine, const call& call) {
  const auto image = input<T>(engine, call, 0);
  const auto out = output<std::uint8_t>(engine, call, 0);
  refuse_nan<T>(engine, call, 0);
  const auto range = engine.reduce(key_range<T>{}, image);
  const auto flooded = temporary<T>(engine, image);
  const auto result = flooded.reading();
  if constexpr (std::is_floating_point_v<T>) {
    const double h = call.quantity("h").to_double();
    const T span = from_key<T>(range.highest) - from_key<T>(range.lowest);
    if (h > static_cast<double>(span)) return engine.map(nowhere{}, out);
    engine.wave(flood<Toward>{}, call.near(), flooded.image(),
                mapped(shifted_safely<Toward, T>{nearest_float<T>(h)}, image), image);
    engine.map(stands_out_by_height<Toward>{h}, out, image, result);
  } else {
    const auto steps = whole_steps<T>(call.quantity("h"));
    if (!steps || *steps > static_cast<key_of<T>>(range.highest - range.lowest))
      return engine.map(nowhere{}, out);
    engine.wave(flood<Toward>{}, call.near(), flooded.image(),
                mapped(shifted_by_steps<Toward, T>{*steps}, image), image);
    engine.map(stands_out_by_steps<Toward, T>{*steps}, out, image, result);
  }
}

}  // namespace macareu

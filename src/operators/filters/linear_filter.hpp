// Shared by linear filters: the border, and the types of computation and result.
#pragma once

#include <limits>
#include <string_view>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/numbers.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/window.hpp"

namespace macareu {

inline border_mode border_named(std::string_view name) {
  if (name == "constant") return border_mode::constant;
  if (name == "nearest") return border_mode::nearest;
  if (name == "mirror") return border_mode::mirror;
  return name == "wrap" ? border_mode::wrap : border_mode::reflect;
}

template <class T>
border<T> border_of(const call& call) {
  return {border_named(call.choice("border")), pixel_from<T>(call.quantity("outside"))};
}

/// For the parameter `type`: standard, f32, f64 or same.
inline dtype filtered_type(const arguments& all, dtype input, const extents&) {
  const auto& type = std::get<std::string>(all.at("type"));
  if (type == "same") return input;
  return type == "f64" || (type == "standard" && input == dtype::f64) ? dtype::f64 : dtype::f32;
}
inline constexpr std::string_view filtered_type_help = "f32, f64 or the input's type";

/// f32 if that is the result's type or holds all its values; else f64.
inline bool works_in_f32(dtype input, dtype output) {
  return output == dtype::f32 || (output == input && size_of(input) <= 2);
}

/// Rounds halves to even; bool images saturate at 1.
template <class Out>
struct rounded {
  Out highest;
  template <class F>
  MACAREU_HD Out operator()(site, F value) const {
    const Out near = nearest_pixel<Out>(value);
    return near > highest ? highest : near;
  }
};

/// Types that engines filter directly; others are converted first.
template <class F, class T>
inline constexpr bool filtered_directly = std::is_same_v<F, T> ||
                                          (std::is_same_v<F, float> && (std::is_same_v<T, std::uint8_t> ||
                                                                        std::is_same_v<T, std::uint16_t>));

template <class F, class T, class Engine, class Filter>
void filter_in(Engine& engine, const call& call, const Filter& filter) {
  const auto image = input<T>(engine, call, 0);
  const auto from_image = [&](const image_in<Engine, F>& out) {
    if constexpr (filtered_directly<F, T>) {
      filter(out, image);
    } else {
      const auto converted = temporary<F>(engine, image);
      engine.map(as_type<F>{}, converted.image(), image);
      filter(out, converted.reading());
    }
  };
  if (call.outputs[0].type() == dtype_of<F>) return from_image(output<F>(engine, call, 0));
  if constexpr (!std::is_same_v<F, T>) {
    const auto result = temporary<F>(engine, image);
    from_image(result.image());
    const T highest = call.of_booleans() ? T{1} : std::numeric_limits<T>::max();
    engine.map(rounded<T>{highest}, output<T>(engine, call, 0), result.reading());
  }
}

/// filter(out, in), both of type F, which is f32 or f64; `in` may be of a type that engines filter directly.
template <class T, class Engine, class Filter>
void filtered(Engine& engine, const call& call, const Filter& filter) {
  if (works_in_f32(call.inputs[0].type(), call.outputs[0].type()))
    filter_in<float, T>(engine, call, filter);
  else
    filter_in<double, T>(engine, call, filter);
}

}  // namespace macareu

#pragma once

#include <array>
#include <limits>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/numbers.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/wrong_value.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct clip {
  static void check_bounds(const call& call) {
    const auto &low = call.quantity("low"), &high = call.quantity("high");
    if (low.to_double() > high.to_double())
      throw wrong_value("clip", "high", "at least low, " + to_string(low), to_string(high));
  }

  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{
      "clipped", output_description::type_rule::same_as_input, "the image, from low to high", true}};
  static constexpr std::array parameters{
      parameter_description{
          "low", parameter_kind::number, "auto", "lower values become this; auto: none do", {}, any_number},
      parameter_description{"high",
                            parameter_kind::number,
                            "auto",
                            "higher values become this; auto: none do",
                            {},
                            any_number}};
  static constexpr operator_description about{
      .name = "clip",
      .verb = "clip",
      .group = "points",
      .pattern = "map",
      .brief = "Limits the values of an image to a range.",
      .notes = "The bounds are rounded to the image's type, halves to even. NaN stays.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .check = &check_bounds,
      .formula = "clipped(p) = min(max(f(p), low), high)",
      .peers = {.itk = "ClampImageFilter", .diplib = "Clip"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    using limits = std::numeric_limits<T>;
    T low = limits::lowest(), high = limits::max();
    if constexpr (std::is_floating_point_v<T>) low = -limits::infinity(), high = limits::infinity();
    if (call.of_booleans()) low = T{0}, high = T{1};
    const T least = low, most = high;
    const auto within = [&](T value) { return value < least ? least : value > most ? most : value; };
    if (!call.is_automatic("low")) low = within(pixel_from<T>(call.quantity("low")));
    if (!call.is_automatic("high")) high = within(pixel_from<T>(call.quantity("high")));
    engine.map(between<T>{low, high}, output<T>(engine, call, 0), input<T>(engine, call, 0));
  }

  template <class T>
  struct between {
    T low, high;
    MACAREU_HD T operator()(site, T value) const { return value < low ? low : value > high ? high : value; }
  };
};

}  // namespace macareu::operators

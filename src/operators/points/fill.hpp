#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/call.hpp"
#include "core/key.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/pixel_bits.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct fill {
  static constexpr std::array inputs{
      input_description{"image", "grey"},
      input_description{.name = "mask", .help = "where the value is written", .mask = true}};
  static constexpr std::array outputs{output_description{
      "filled", output_description::type_rule::same_as_input, "the image, and the value in the mask", true}};
  static constexpr std::array parameters{
      parameter_description{"value", parameter_kind::number, "", "what is written", {}, any_number}};
  static constexpr operator_description about{.name = "fill",
                                              .verb = "fill",
                                              .group = "points",
                                              .pattern = "map",
                                              .brief = "Writes a value where a mask is set.",
                                              .notes = "The value is rounded to the image's type.",
                                              .inputs = inputs,
                                              .outputs = outputs,
                                              .parameters = parameters,
                                              .hidden = true,
                                              .in_pieces = false,
                                              .formula = "filled(p) = value if mask(p), else f(p)"};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    using bits = key_of<T>;
    if constexpr (std::is_same_v<T, bits>)
      engine.map(filled<T>{static_cast<T>(pixel_bits(call.quantity("value"), call.inputs[0].type()))},
                 output<T>(engine, call, 0), input<T>(engine, call, 0), input<std::uint8_t>(engine, call, 1));
    else
      run<bits>(engine, call);
  }

  template <class T>
  struct filled {
    T value;
    MACAREU_HD T operator()(site, T pixel, std::uint8_t mask) const { return mask != 0 ? value : pixel; }
  };
};

}  // namespace macareu::operators

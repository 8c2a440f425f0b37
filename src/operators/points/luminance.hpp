#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/call.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct luminance {
  static constexpr std::array inputs{input_description{"red", "the first channel"},
                                     input_description{"green", "the second channel"},
                                     input_description{"blue", "the third channel"}};
  static constexpr std::array outputs{
      output_description{"grey", output_description::type_rule::same_as_input, "the grey image"}};
  static constexpr operator_description about{
      .name = "luminance",
      .verb = "luminance",
      .group = "points",
      .pattern = "map",
      .brief = "Grey from colour, by Rec. 601.",
      .notes =
          "0.299 red + 0.587 green + 0.114 blue, in the type of the image. Integers are computed exactly "
          "and rounded to the nearest value, halves up; floats in f64, from left to right.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = {},
      .hidden = true,
      .in_pieces = false};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    engine.map(weighted_channels{}, output<T>(engine, call, 0), input<T>(engine, call, 0),
               input<T>(engine, call, 1), input<T>(engine, call, 2));
  }

  struct weighted_channels {
    template <class T>
    MACAREU_HD T operator()(site, T red, T green, T blue) const {
      if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(0.299 * static_cast<double>(red) + 0.587 * static_cast<double>(green) +
                              0.114 * static_cast<double>(blue));
      } else {  // splits into quotients and remainders by 1000, so that 64-bit values do not overflow
        using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        const wide r = red, g = green, b = blue;
        const wide whole = 299 * (r / 1000) + 587 * (g / 1000) + 114 * (b / 1000);
        const auto rest =
            static_cast<std::int64_t>(299 * (r % 1000) + 587 * (g % 1000) + 114 * (b % 1000)) + 500;
        const auto carry = rest / 1000 - (rest % 1000 < 0 ? 1 : 0);  // rounded down, for negative values too
        return static_cast<T>(whole + static_cast<wide>(carry));
      }
    }
  };
};

}  // namespace macareu::operators

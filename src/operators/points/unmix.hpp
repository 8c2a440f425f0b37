#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/percentile.hpp"
#include "operators/points/stains.hpp"
#include "patterns/channels.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct unmix {
  static int channels(const arguments& all, int) {
    return std::get<std::string>(all.at("give")) == "all" ? 3 : 1;
  }
  static dtype result_type(const arguments&, dtype, const extents&) { return dtype::f32; }
  static void check_parameters(const call& call) {
    refuse_two_whites(call);
    stain_directions(call);
    white_of(call);
  }

  static constexpr std::array taken{dtype::u8, dtype::u16, dtype::f32};
  static constexpr std::array inputs{
      input_description{"colour", "red, green and blue, of type u8, u16 or f32; floats are from 0 to 1"}};
  static constexpr std::array outputs{output_description{.name = "amounts",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "amount of each stain, or of one",
                                                         .computed = &result_type,
                                                         .computed_help = "f32",
                                                         .channels = &channels}};
  static constexpr std::array parameters{
      parameter_description{"stains", parameter_kind::choice, "h_e_dab",
                            "haematoxylin (h), eosin (e) and DAB; of two, the third is their cross product",
                            "h_e_dab|h_e|h_dab"},
      parameter_description{
          .name = "vectors",
          .kind = parameter_kind::numbers,
          .default_text = "auto",
          .help = "instead of named stains: optical densities in red, green and blue of two or three "
                  "stains, 6 or 9 numbers",
          .above = -std::numeric_limits<double>::infinity(),
          .is_alternative = true},
      parameter_description{"unit_vectors", parameter_kind::flag, "false",
                            "scales the stains' vectors to length 1 first"},
      parameter_description{"density", parameter_kind::choice, "relative",
                            "relative is 1 at a millionth of white; optical is the common optical density, "
                            "where 0 counts as 1/255 of the type's full value",
                            "relative|optical"},
      parameter_description{"white", parameter_kind::numbers, "auto",
                            "value without stain, one or one for each channel; auto: the type's full value"},
      parameter_description{"find_white", parameter_kind::flag, "false",
                            "white is each channel's 99th percentile, at least 220/255 of the full value"},
      parameter_description{"give", parameter_kind::choice, "all", "which stains", "all|first|second|third"}};
  static constexpr operator_description about{
      .name = "unmix",
      .verb = "unmix",
      .group = "points",
      .pattern = "map",
      .brief = "Colour deconvolution: the amount of each stain in a picture of stained tissue.",
      .notes =
          "By default it is scikit-image's rgb2hed, computed in f64 and rounded to f32. With h_dab it is "
          "separate_stains by hdx_from_rgb. The vectors of h_e are those of QuPath. Of two stains, the third "
          "vector is the cross product of the others. Negative amounts become 0. The full value is 255, "
          "65535 or 1.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .takes_colour = true,
      .check = &check_parameters,
      .types = taken,
      .formula =
          "amounts = max(0, d M^-1), d = log(max(v / white, 1e-6)) / log(1e-6), the rows of M are the "
          "stains; optical: d = -log10(max(v, full / 255) / white)",
      .peers = {.skimage = "color.rgb2hed, color.separate_stains"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    for (int c = 0; c < 3; ++c) refuse_nan<T>(engine, channel_call(call, c), 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const channel_call red(call, 0), green(call, 1), blue(call, 2);
    const auto r = input<T>(engine, red, 0), g = input<T>(engine, green, 0), b = input<T>(engine, blue, 0);
    auto white = white_of(call);
    if (call.flag("find_white")) {
      const auto found = [&](const auto& image) {
        return std::max(percentile<T>(engine, image, 99), full_value(call) / 255 * 220);
      };
      white = {found(r), found(g), found(b)};
    }
    const optical_density density(call, white);
    const auto directions = stain_directions(call);
    const auto out = [&](int stain) { return output<float>(engine, channel_call(call, stain), 0); };
    if (!call.chosen("give", "all")) {
      const auto wanted = call.chosen("give", "first") ? 0U : call.chosen("give", "second") ? 1U : 2U;
      return give_one(engine, density, directions[wanted], out(0), r, g, b);
    }
    using all_of_bytes = amounts_of_bytes<3>;
    if constexpr (std::is_same_v<T, std::uint8_t> && maps_channels<Engine, all_of_bytes, float, T, 3>)
      engine.map_channels(all_of_bytes(density, directions.data()), std::array{out(0), out(1), out(2)},
                          std::array{r, g, b});
    else
      for (int stain = 0; stain < 3; ++stain)
        give_one(engine, density, directions[static_cast<std::size_t>(stain)], out(stain), r, g, b);
  }

 private:
  template <class Engine, class Out, class In>
  static void give_one(Engine& engine, const optical_density& density, const three_numbers& direction,
                       const Out& out, const In& r, const In& g, const In& b) {
    if constexpr (std::is_same_v<pixel_of<In>, std::uint8_t>)
      map_one(engine, amounts_of_bytes<1>(density, &direction), out, r, g, b);
    else
      map_one(engine, amount_of_stain{density, direction}, out, r, g, b);
  }
  template <class Engine, class Rule, class Out, class In>
  static void map_one(Engine& engine, const Rule& rule, const Out& out, const In& r, const In& g,
                      const In& b) {
    if constexpr (maps_channels<Engine, Rule, float, pixel_of<In>, 1>)
      engine.map_channels(rule, std::array{out}, std::array{r, g, b});
    else
      engine.map(rule, out, r, g, b);
  }
};

}  // namespace macareu::operators

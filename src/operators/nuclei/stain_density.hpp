#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <macareu/fixed_point.hpp>

#include "core/call.hpp"
#include "operators/points/stains.hpp"
#include "patterns/channels.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct stain_density {
  static int one_channel(const arguments&, int) { return 1; }
  static dtype result_type(const arguments&, dtype, const extents&) { return dtype::u16; }
  static void check_parameters(const call& call) {
    stain_directions(call);
    white_of(call);
  }

  static constexpr std::array taken{dtype::u8};
  static constexpr std::array inputs{input_description{"colour", "red, green and blue, of type u8"}};
  static constexpr std::array outputs{output_description{.name = "density",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "in steps of 2^-14",
                                                         .computed = &result_type,
                                                         .computed_help = "u16",
                                                         .channels = &one_channel}};
  static constexpr std::array parameters{
      parameter_description{"stains", parameter_kind::choice, "h_e", "as of unmix", "h_e_dab|h_e|h_dab"},
      parameter_description{"vectors",
                            parameter_kind::numbers,
                            "auto",
                            "as of unmix",
                            {},
                            -std::numeric_limits<double>::infinity()},
      parameter_description{"unit_vectors", parameter_kind::flag, "true", "as of unmix"},
      parameter_description{"density", parameter_kind::choice, "optical", "as of unmix", "relative|optical"},
      parameter_description{"white", parameter_kind::numbers, "auto", "as of unmix"},
      parameter_description{"give", parameter_kind::choice, "first",
                            "which stain, or the sum of the first two", "first|second|third|sum"}};
  static constexpr operator_description about{
      .name = "stain_density",
      .verb = "stain-density",
      .group = "points",
      .pattern = "map",
      .brief = "The amount of a stain, or of two, by colour deconvolution, in fixed point.",
      .notes = "It is unmix, rounded to steps of 2^-14 and saturated at the end of u16.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .takes_colour = true,
      .check = &check_parameters,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  /// Terms have more digits than the result, so that their sum is rounded once.
  struct steps_of_bytes {
    static constexpr int more = 10;
    std::int32_t term[3][256];

    steps_of_bytes(const optical_density& density, const three_numbers& direction) {
      for (int channel = 0; channel < 3; ++channel)
        for (int value = 0; value < 256; ++value) {
          const double own = density(channel, value) * direction[static_cast<std::size_t>(channel)];
          const double limit = 1 << 29;
          term[channel][value] = static_cast<std::int32_t>(
              std::rint(std::clamp(own * steps_per_density * (1 << more), -limit, limit)));
        }
    }

    MACAREU_HD std::uint16_t operator()(site, std::uint8_t red, std::uint8_t green, std::uint8_t blue) const {
      const std::int32_t sum = term[0][red] + term[1][green] + term[2][blue];
      const std::int32_t steps = (sum + (1 << (more - 1))) >> more;
      return static_cast<std::uint16_t>(steps < 0 ? 0 : steps > 65535 ? 65535 : steps);
    }
  };

  static three_numbers wanted_direction(const call& call) {
    const auto all = stain_directions(call);
    if (call.chosen("give", "first")) return all[0];
    if (call.chosen("give", "second")) return all[1];
    if (call.chosen("give", "third")) return all[2];
    return {all[0][0] + all[1][0], all[0][1] + all[1][1], all[0][2] + all[1][2]};
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const channel_call red(call, 0), green(call, 1), blue(call, 2);
    const auto r = input<T>(engine, red, 0), g = input<T>(engine, green, 0), b = input<T>(engine, blue, 0);
    const steps_of_bytes rule(optical_density(call, white_of(call)), wanted_direction(call));
    const auto out = output<std::uint16_t>(engine, call, 0);
    if constexpr (maps_channels<Engine, steps_of_bytes, std::uint16_t, T, 1>)
      engine.map_channels(rule, std::array{out}, std::array{r, g, b});
    else
      engine.map(rule, out, r, g, b);
  }
};

}  // namespace macareu::operators

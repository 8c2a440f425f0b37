#pragma once

#include <array>
#include <cstdint>

#include <macareu/fixed_point.hpp>

#include "core/call.hpp"
#include "operators/common/numbers.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct part_above {
  static dtype result_type(const arguments&, dtype, const extents&) { return dtype::u16; }

  static constexpr std::array taken{dtype::u8, dtype::u16};
  static constexpr std::array inputs{input_description{"density", "of a stain"}};
  static constexpr std::array outputs{output_description{.name = "part",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "0 where the density is not above",
                                                         .computed = &result_type,
                                                         .computed_help = "u16"}};
  static constexpr std::array parameters{
      parameter_description{.name = "value",
                            .kind = parameter_kind::number,
                            .default_text = "0",
                            .help = "a density",
                            .or_equal = true},
      parameter_description{"share", parameter_kind::flag, "false",
                            "2^14 where the density is above, instead of it"}};
  static constexpr operator_description about{
      .name = "part_above",
      .verb = "part-above",
      .group = "points",
      .pattern = "map",
      .brief = "The pixels above a value, 0 elsewhere.",
      .notes = "The means of both results over a block give the mean of the pixels above the value.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  struct above {
    std::uint16_t least, share;
    template <class T>
    MACAREU_HD std::uint16_t operator()(site, T density) const {
      const auto given = static_cast<std::uint16_t>(share != 0 ? share : density);
      return density >= least ? given : std::uint16_t{0};
    }
  };

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto least = smallest_above<std::uint16_t>(call.quantity("value")).value_or(65535);
    const auto share = static_cast<std::uint16_t>(call.flag("share") ? steps_per_share : 0);
    engine.map(above{least, share}, output<std::uint16_t>(engine, call, 0), input<T>(engine, call, 0));
  }
};

}  // namespace macareu::operators

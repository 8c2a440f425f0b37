#pragma once

#include <array>
#include <cstdint>

#include <macareu/fixed_point.hpp>

#include "core/call.hpp"
#include "operators/common/numbers.hpp"
#include "operators/common/parameters.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct local_level {
  static dtype result_type(const arguments&, dtype, const extents&) { return dtype::u16; }

  static constexpr std::array taken{dtype::u8, dtype::f32};
  static constexpr std::array inputs{
      input_description{"mean", "of all densities around a pixel"},
      input_description{"mean_above", "of densities above the threshold, 0 for others"},
      input_description{"share_above", "of pixels above the threshold, in steps of 2^-14"}};
  static constexpr std::array outputs{output_description{.name = "level",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "between the means of both classes",
                                                         .computed = &result_type,
                                                         .computed_help = "u16"}};
  static constexpr std::array parameters{
      parameter_description{"weight", parameter_kind::number, "0.45", "of the upper mean", {}, 0, true, 1},
      parameter_description{"pull", parameter_kind::number, "0.05", "share of the global means"},
      parameter_description{
          "upper", parameter_kind::number, "0", "global mean above the threshold", {}, 0, true},
      parameter_description{"lower", parameter_kind::number, "0", "global mean of the others", {}, 0, true},
      parameter_description{"least", parameter_kind::number, "0", "the lowest level", {}, 0, true}};
  static constexpr operator_description about{
      .name = "local_level",
      .verb = "local-level",
      .group = "points",
      .pattern = "map",
      .brief = "A threshold between the means of the two classes around every pixel.",
      .notes = "Means of both classes are pulled towards the global ones, so that they exist everywhere.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  struct between_means {
    float weight, pull, upper, lower, least;
    template <class T>
    MACAREU_HD std::uint16_t operator()(site, T mean, T mean_above, T share_above) const {
      const float all = static_cast<float>(mean), above = static_cast<float>(mean_above);
      const float share = static_cast<float>(share_above) * static_cast<float>(1 / steps_per_share);
      const float high = (above + pull * upper) / (share + pull);
      const float low = (all - above + pull * lower) / (1 - share + pull);
      const float level = weight * high + (1 - weight) * low;
      return nearest_pixel<std::uint16_t>(level > least ? level : least);
    }
  };

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto value = [&](const char* name) { return static_cast<float>(call.quantity(name).to_double()); };
    engine.map(between_means{value("weight"), value("pull"), value("upper"), value("lower"), value("least")},
               output<std::uint16_t>(engine, call, 0), input<T>(engine, call, 0), input<T>(engine, call, 1),
               input<T>(engine, call, 2));
  }
};

}  // namespace macareu::operators

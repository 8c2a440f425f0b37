#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/numbers.hpp"
#include "operators/common/parameters.hpp"
#include "operators/reconstruction/flood_from.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct hysteresis {
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{
      output_description{"mask", output_description::type_rule::boolean,
                         "set above high, and above low where a path above low leads to a pixel above high"}};
  static constexpr std::array parameters{
      parameter_description{
          "low", parameter_kind::number, "", "pixels at or below it are not set", {}, any_number},
      parameter_description{"high", parameter_kind::number, "", "pixels above it are set", {}, any_number},
      connectivity_parameter("face")};
  static constexpr operator_description about{
      .name = "hysteresis",
      .verb = "hysteresis",
      .group = "reconstruction",
      .pattern = "wave",
      .brief = "Keeps pixels above low that are connected to a pixel above high.",
      .notes =
          "It is scikit-image's apply_hysteresis_threshold, whose neighbours are those of faces. A low "
          "value above the high one counts as the high one. NaN is above nothing.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {2},
      .formula = "mask = R_{f > low}(f > high), binary reconstruction",
      .peers = {.skimage = "filters.apply_hysteresis_threshold",
                .itk = "DoubleThresholdImageFilter",
                .diplib = "HysteresisThreshold"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    const auto low = smallest_above<T>(call.quantity("low")), high = smallest_above<T>(call.quantity("high"));
    if (!high) return engine.map(nowhere{}, output<std::uint8_t>(engine, call, 0));
    engine.wave(flood_from<T>{low && *low < *high ? *low : *high}, call.near(),
                output<std::uint8_t>(engine, call, 0), mapped(at_least<T>{*high}, image), image);
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/morphology/flat_filter.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct morphological_gradient {
  static constexpr std::array outputs{
      output_description{"gradient", output_description::type_rule::same_as_input,
                         "the dilation less the erosion, at most the ends of the pixel type"}};
  static constexpr operator_description about{
      .name = "morphological_gradient",
      .verb = "morphological-gradient",
      .group = "morphology",
      .pattern = "extremes",
      .brief = "Morphological gradient: the range of values in the footprint.",
      .notes = flat_notes,
      .inputs = flat_inputs,
      .outputs = outputs,
      .parameters = flat_parameters,
      .each_channel = true,
      .check = &check_footprint,
      .formula = "gradient = dilation(f) - erosion(f)",
      .peers = {.scipy = "ndimage.morphological_gradient",
                .itk = "MorphologicalGradientImageFilter",
                .opencv = "morphologyEx"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<key_of<T>>(engine, call, 0);
    const auto filter = flat_filter_of<T>(engine, call);
    const auto eroded = temporary<key_of<T>>(engine, image), dilated = temporary<key_of<T>>(engine, image);
    filter.erode(eroded.image(), image);
    filter.dilate(dilated.image(), image);
    subtract_into<T>(engine, call, dilated.reading(), eroded.reading());
  }
};

}  // namespace macareu::operators

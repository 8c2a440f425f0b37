#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/morphology/flat_filter.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct opening {
  static constexpr std::array outputs{
      output_description{"opened", output_description::type_rule::same_as_input,
                         "the image without bright structures that the footprint does not fit"}};
  static constexpr operator_description about{
      .name = "opening",
      .verb = "opening",
      .group = "morphology",
      .pattern = "extremes",
      .brief = "Opening: removes bright structures that the footprint does not fit into.",
      .notes = flat_notes,
      .inputs = flat_inputs,
      .outputs = outputs,
      .parameters = flat_parameters,
      .each_channel = true,
      .check = &check_footprint,
      .formula = "opened = dilation(erosion(f))",
      .peers = {.skimage = "morphology.opening",
                .scipy = "ndimage.grey_opening, ndimage.binary_opening",
                .itk = "GrayscaleMorphologicalOpeningImageFilter",
                .matlab = "imopen",
                .opencv = "morphologyEx",
                .diplib = "Opening"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    flat_filter_of<T>(engine, call)
        .open(output<key_of<T>>(engine, call, 0), input<key_of<T>>(engine, call, 0));
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/morphology/flat_filter.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct closing {
  static constexpr std::array outputs{
      output_description{"closed", output_description::type_rule::same_as_input,
                         "the image without dark structures that the footprint does not fit"}};
  static constexpr operator_description about{
      .name = "closing",
      .verb = "closing",
      .group = "morphology",
      .pattern = "extremes",
      .brief = "Closing: fills dark structures that the footprint does not fit into.",
      .notes = flat_notes,
      .inputs = flat_inputs,
      .outputs = outputs,
      .parameters = flat_parameters,
      .each_channel = true,
      .check = &check_footprint,
      .formula = "closed = erosion(dilation(f))",
      .peers = {.skimage = "morphology.closing",
                .scipy = "ndimage.grey_closing, ndimage.binary_closing",
                .itk = "GrayscaleMorphologicalClosingImageFilter",
                .matlab = "imclose",
                .opencv = "morphologyEx",
                .diplib = "Closing"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    flat_filter_of<T>(engine, call)
        .close(output<key_of<T>>(engine, call, 0), input<key_of<T>>(engine, call, 0));
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/morphology/flat_filter.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct dilation {
  static constexpr std::array outputs{output_description{"dilated",
                                                         output_description::type_rule::same_as_input,
                                                         "the greatest value in the reflected footprint"}};
  static constexpr operator_description about{
      .name = "dilation",
      .verb = "dilation",
      .group = "morphology",
      .pattern = "extremes",
      .brief = "Dilation: the greatest value in the reflected footprint around every pixel.",
      .notes = flat_notes,
      .inputs = flat_inputs,
      .outputs = outputs,
      .parameters = flat_parameters,
      .each_channel = true,
      .check = &check_footprint,
      .formula = "dilated(p) = max of f(p - b) over all b in the footprint",
      .peers = {.skimage = "morphology.dilation",
                .scipy = "ndimage.grey_dilation, ndimage.binary_dilation",
                .itk = "GrayscaleDilateImageFilter",
                .matlab = "imdilate",
                .opencv = "dilate",
                .diplib = "Dilation"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    flat_filter_of<T>(engine, call)
        .dilate(output<key_of<T>>(engine, call, 0), input<key_of<T>>(engine, call, 0));
  }
};

}  // namespace macareu::operators

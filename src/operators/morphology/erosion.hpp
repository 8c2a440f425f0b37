#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/morphology/flat_filter.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct erosion {
  static constexpr std::array outputs{output_description{
      "eroded", output_description::type_rule::same_as_input, "the least value in the footprint"}};
  static constexpr operator_description about{
      .name = "erosion",
      .verb = "erosion",
      .group = "morphology",
      .pattern = "extremes",
      .brief = "Erosion: the least value in a footprint around every pixel.",
      .notes = flat_notes,
      .inputs = flat_inputs,
      .outputs = outputs,
      .parameters = flat_parameters,
      .each_channel = true,
      .check = &check_footprint,
      .formula = "eroded(p) = min of f(p + b) over all b in the footprint",
      .peers = {.skimage = "morphology.erosion",
                .scipy = "ndimage.grey_erosion, ndimage.binary_erosion, ndimage.minimum_filter",
                .itk = "GrayscaleErodeImageFilter",
                .matlab = "imerode",
                .opencv = "erode",
                .diplib = "Erosion"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    flat_filter_of<T>(engine, call)
        .erode(output<key_of<T>>(engine, call, 0), input<key_of<T>>(engine, call, 0));
  }
};

}  // namespace macareu::operators

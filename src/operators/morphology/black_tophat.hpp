#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/morphology/flat_filter.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct black_tophat {
  static constexpr std::array outputs{
      output_description{"tophat", output_description::type_rule::same_as_input,
                         "the closing less the image, at most the ends of the pixel type"}};
  static constexpr operator_description about{
      .name = "black_tophat",
      .verb = "black-tophat",
      .group = "morphology",
      .pattern = "extremes",
      .brief = "Black top-hat: the dark structures that a closing fills.",
      .notes = flat_notes,
      .inputs = flat_inputs,
      .outputs = outputs,
      .parameters = flat_parameters,
      .each_channel = true,
      .check = &check_footprint,
      .reads_in_pieces = {2},
      .formula = "tophat = closing(f) - f",
      .peers = {.skimage = "morphology.black_tophat",
                .scipy = "ndimage.black_tophat",
                .itk = "BlackTopHatImageFilter",
                .matlab = "imbothat",
                .opencv = "morphologyEx",
                .diplib = "Tophat"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<key_of<T>>(engine, call, 0);
    const auto closed = temporary<key_of<T>>(engine, image);
    flat_filter_of<T>(engine, call).close(closed.image(), image);
    subtract_into<T>(engine, call, closed.reading(), image);
  }
};

}  // namespace macareu::operators

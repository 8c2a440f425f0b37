#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/morphology/flat_filter.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct white_tophat {
  static constexpr std::array outputs{
      output_description{"tophat", output_description::type_rule::same_as_input,
                         "the image less its opening, at most the ends of the pixel type"}};
  static constexpr operator_description about{
      .name = "white_tophat",
      .verb = "white-tophat",
      .group = "morphology",
      .pattern = "extremes",
      .brief = "White top-hat: the bright structures that an opening removes.",
      .notes = flat_notes,
      .inputs = flat_inputs,
      .outputs = outputs,
      .parameters = flat_parameters,
      .each_channel = true,
      .check = &check_footprint,
      .reads_in_pieces = {2},
      .formula = "tophat = f - opening(f)",
      .peers = {.skimage = "morphology.white_tophat",
                .scipy = "ndimage.white_tophat",
                .itk = "WhiteTopHatImageFilter",
                .matlab = "imtophat",
                .opencv = "morphologyEx",
                .diplib = "Tophat"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<key_of<T>>(engine, call, 0);
    const auto opened = temporary<key_of<T>>(engine, image);
    flat_filter_of<T>(engine, call).open(opened.image(), image);
    subtract_into<T>(engine, call, image, opened.reading());
  }
};

}  // namespace macareu::operators

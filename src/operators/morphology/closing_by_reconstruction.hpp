#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/flood.hpp"
#include "operators/morphology/flat_filter.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct closing_by_reconstruction {
  static constexpr std::array outputs{
      output_description{"closed", output_description::type_rule::same_as_input, "the reconstructed image"}};
  static constexpr operator_description about{
      .name = "closing_by_reconstruction",
      .verb = "closing-by-reconstruction",
      .group = "morphology",
      .pattern = "wave",
      .brief = "Fills narrow dark structures, and keeps the others whole.",
      .notes = flat_notes,
      .inputs = flat_grey_inputs,
      .outputs = outputs,
      .parameters = flat_reconstruction_parameters,
      .check = &check_footprint,
      .reads_in_pieces = {3},
      .formula = "closed = R*_f(dilation(f))",
      .peers = {.itk = "ClosingByReconstructionImageFilter", .diplib = "ClosingByReconstruction"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
    const auto image = input<T>(engine, call, 0);
    const auto marker = temporary<T>(engine, image);
    flat_filter_of<T>(engine, call)
        .dilate(marker.image().template as<key_of<T>>(), input<key_of<T>>(engine, call, 0));
    engine.wave(flood<direction::down>{}, call.near(), output<T>(engine, call, 0),
                mapped(as_given{}, marker.reading()), image);
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/flood.hpp"
#include "operators/morphology/flat_filter.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct opening_by_reconstruction {
  static constexpr std::array outputs{
      output_description{"opened", output_description::type_rule::same_as_input, "the reconstructed image"}};
  static constexpr operator_description about{
      .name = "opening_by_reconstruction",
      .verb = "opening-by-reconstruction",
      .group = "morphology",
      .pattern = "wave",
      .brief = "Removes narrow bright structures, and keeps the others whole.",
      .notes = flat_notes,
      .inputs = flat_grey_inputs,
      .outputs = outputs,
      .parameters = flat_reconstruction_parameters,
      .check = &check_footprint,
      .reads_in_pieces = {3},
      .formula = "opened = R_f(erosion(f))",
      .peers = {.itk = "OpeningByReconstructionImageFilter", .diplib = "OpeningByReconstruction"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
    const auto image = input<T>(engine, call, 0);
    const auto marker = temporary<T>(engine, image);
    flat_filter_of<T>(engine, call)
        .erode(marker.image().template as<key_of<T>>(), input<key_of<T>>(engine, call, 0));
    engine.wave(flood<direction::up>{}, call.near(), output<T>(engine, call, 0),
                mapped(as_given{}, marker.reading()), image);
  }
};

}  // namespace macareu::operators

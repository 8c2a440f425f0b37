#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/extrema/regional_extrema.hpp"

namespace macareu::operators {

struct minima {
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{
      output_description{"minima", output_description::type_rule::boolean, "true on the regional minima"}};
  static constexpr std::array parameters{connectivity_parameter("full")};
  static constexpr operator_description about{
      .name = "minima",
      .verb = "minima",
      .group = "extrema",
      .pattern = "wave",
      .brief = "Regional minima: plateaus with no lower neighbour.",
      .notes =
          "A connected plateau counts as a whole, and may touch the border. A constant image has no "
          "regional minima, as in scikit-image's local_minima; MATLAB and ITK mark all of it. -0 and +0 are "
          "one value. Neighbours are full by default, as in scikit-image and MATLAB; ITK's default is face.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {3},
      .formula = "minima(p) = f(p) < R*_f(f + e)(p), with e one representable step",
      .peers = {.skimage = "morphology.local_minima",
                .itk = "RegionalMinimaImageFilter",
                .matlab = "imregionalmin",
                .diplib = "Minima"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    regional_extrema<direction::down, T>(engine, call);
  }
};

}  // namespace macareu::operators

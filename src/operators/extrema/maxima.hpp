#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/extrema/regional_extrema.hpp"

namespace macareu::operators {

struct maxima {
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{
      output_description{"maxima", output_description::type_rule::boolean, "true on the regional maxima"}};
  static constexpr std::array parameters{connectivity_parameter("full")};
  static constexpr operator_description about{
      .name = "maxima",
      .verb = "maxima",
      .group = "extrema",
      .pattern = "wave",
      .brief = "Regional maxima: plateaus with no higher neighbour.",
      .notes =
          "A connected plateau counts as a whole, and may touch the border. A constant image has no "
          "regional maxima, as in scikit-image's local_maxima; MATLAB and ITK mark all of it. -0 and +0 are "
          "one value. Neighbours are full by default, as in scikit-image and MATLAB; ITK's default is face.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {3},
      .formula = "maxima(p) = f(p) > R_f(f - e)(p), with e one representable step",
      .peers = {.skimage = "morphology.local_maxima",
                .itk = "RegionalMaximaImageFilter",
                .matlab = "imregionalmax",
                .diplib = "Maxima"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    regional_extrema<direction::up, T>(engine, call);
  }
};

}  // namespace macareu::operators

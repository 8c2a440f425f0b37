#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/extrema/h_extrema.hpp"

namespace macareu::operators {

struct h_maxima {
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{output_description{"maxima", output_description::type_rule::boolean,
                                                         "true where the image stands out by h"}};
  static constexpr std::array parameters{height_parameter, connectivity_parameter("full")};
  static constexpr operator_description about{
      .name = "h_maxima",
      .verb = "hmaxima",
      .group = "extrema",
      .pattern = "wave",
      .brief = "Mask of the maxima that stand out by at least h.",
      .notes =
          "The mask is empty where h exceeds the range of the image. It is scikit-image's h_maxima, which "
          "for floats shifts slightly further than h, and so does this. ITK, DIPlib and MATLAB use the name "
          "for the filtered grey image, which is hmax here. h may be fractional. A pixel at infinity does "
          "not stand out.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {3},
      .formula = "maxima(p) = f(p) - R_f(f - h)(p) >= h",
      .peers = {.skimage = "morphology.h_maxima", .matlab = "imextendedmax"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    h_extrema<direction::up, T>(engine, call);
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/extrema/h_extrema.hpp"

namespace macareu::operators {

struct h_minima {
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{output_description{"minima", output_description::type_rule::boolean,
                                                         "true where the image stands out by h"}};
  static constexpr std::array parameters{height_parameter, connectivity_parameter("full")};
  static constexpr operator_description about{
      .name = "h_minima",
      .verb = "hminima",
      .group = "extrema",
      .pattern = "wave",
      .brief = "Mask of the minima that stand out by at least h.",
      .notes =
          "The mask is empty where h exceeds the range of the image. It is scikit-image's h_minima, which "
          "for floats shifts slightly further than h, and so does this. ITK, DIPlib and MATLAB use the name "
          "for the filtered grey image, which is hmin here. h may be fractional. A pixel at infinity does "
          "not stand out.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {3},
      .formula = "minima(p) = R*_f(f + h)(p) - f(p) >= h",
      .peers = {.skimage = "morphology.h_minima", .matlab = "imextendedmin"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    h_extrema<direction::down, T>(engine, call);
  }
};

}  // namespace macareu::operators

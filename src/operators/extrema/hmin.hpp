#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/extrema/h_extrema.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct hmin {
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{
      output_description{"filtered", output_description::type_rule::same_as_input, "the filtered image"}};
  static constexpr std::array parameters{height_parameter, connectivity_parameter("full")};
  static constexpr operator_description about{
      .name = "hmin",
      .verb = "hmin",
      .group = "extrema",
      .pattern = "wave",
      .brief = "Grey image without the minima shallower than h; the others are filled by h.",
      .notes =
          "It is ITK's HMinimaImageFilter and MATLAB's imhmin. f + h saturates at the end of the type. For "
          "integer pixels h must be a whole number.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .check = &check_height,
      .reads_in_pieces = {2},
      .formula = "filtered = R*_f(f + h)",
      .peers = {.itk = "HMinimaImageFilter", .matlab = "imhmin", .diplib = "HMinima"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    filter_by_height<direction::down, T>(engine, call, output<T>(engine, call, 0));
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/extrema/h_extrema.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct hmax {
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{
      output_description{"filtered", output_description::type_rule::same_as_input, "the filtered image"}};
  static constexpr std::array parameters{height_parameter, connectivity_parameter("full")};
  static constexpr operator_description about{
      .name = "hmax",
      .verb = "hmax",
      .group = "extrema",
      .pattern = "wave",
      .brief = "Grey image without the maxima lower than h; the others are cut by h.",
      .notes =
          "It is ITK's HMaximaImageFilter and MATLAB's imhmax. f - h saturates at the end of the type. For "
          "integer pixels h must be a whole number.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .check = &check_height,
      .reads_in_pieces = {2},
      .formula = "filtered = R_f(f - h)",
      .peers = {.itk = "HMaximaImageFilter", .matlab = "imhmax", .diplib = "HMaxima"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    filter_by_height<direction::up, T>(engine, call, output<T>(engine, call, 0));
  }
};

}  // namespace macareu::operators

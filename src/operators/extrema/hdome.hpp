#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/difference.hpp"
#include "operators/common/parameters.hpp"
#include "operators/extrema/h_extrema.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct hdome {
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{output_description{
      "domes", output_description::type_rule::same_as_input, "height above the reconstruction"}};
  static constexpr std::array parameters{height_parameter, connectivity_parameter("full")};
  static constexpr operator_description about{
      .name = "hdome",
      .verb = "hdome",
      .group = "extrema",
      .pattern = "wave",
      .brief = "Height of bright domes above their surroundings, at most h.",
      .notes =
          "The result is zero outside the maxima and at most h, for floats up to rounding. A pixel at "
          "+infinity has height 0. ITK calls it HConvex. For integer pixels h must be a whole number.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .check = &check_height,
      .reads_in_pieces = {2},
      .formula = "domes = f - R_f(f - h)",
      .peers = {.itk = "HConvexImageFilter"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto out = output<T>(engine, call, 0);
    filter_by_height<direction::up, T>(engine, call, out);
    engine.map(difference{}, out, input<T>(engine, call, 0), out.reading());
  }
};

}  // namespace macareu::operators

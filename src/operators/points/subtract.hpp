#pragma once

#include <array>
#include <limits>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/points/arithmetic.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct subtract {
  static constexpr std::array inputs{input_description{"first", "what is subtracted from"},
                                     input_description{"second", "what is subtracted"}};
  static constexpr std::array outputs{output_description{
      "difference", output_description::type_rule::same_as_input, "the first image less the second", true}};
  static constexpr std::array<parameter_description, 0> parameters{};
  static constexpr operator_description about{
      .name = "subtract",
      .verb = "subtract",
      .group = "points",
      .pattern = "map",
      .brief = "The difference of two images.",
      .notes =
          "The result saturates at the ends of the type: 100 - 200 is 0 in u8. Of bool images it is what "
          "only the first has. Both images have one type and shape.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .formula =
          "difference(p) = min(max(first(p) - second(p), lowest), highest), the ends of the pixel type",
      .peers = {
          .itk = "SubtractImageFilter", .matlab = "imsubtract", .opencv = "subtract", .diplib = "Subtract"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    engine.map(saturating_difference<T>{}, output<T>(engine, call, 0), input<T>(engine, call, 0),
               input<T>(engine, call, 1));
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>
#include <limits>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/points/arithmetic.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct add {
  static constexpr std::array inputs{input_description{"first", "first summand"},
                                     input_description{"second", "second summand"}};
  static constexpr std::array outputs{
      output_description{"sum", output_description::type_rule::same_as_input, "the sum", true}};
  static constexpr std::array<parameter_description, 0> parameters{};
  static constexpr operator_description about{
      .name = "add",
      .verb = "add",
      .group = "points",
      .pattern = "map",
      .brief = "The sum of two images.",
      .notes =
          "The result saturates at the ends of the type: 200 + 100 is 255 in u8. Of bool images it is the "
          "union. Both images have one type and shape.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .formula = "sum(p) = min(max(first(p) + second(p), lowest), highest), the ends of the pixel type",
      .peers = {.itk = "AddImageFilter", .matlab = "imadd", .opencv = "add", .diplib = "Add"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const T highest = call.of_booleans() ? T{1} : std::numeric_limits<T>::max();
    engine.map(saturating_sum<T>{highest}, output<T>(engine, call, 0), input<T>(engine, call, 0),
               input<T>(engine, call, 1));
  }
};

}  // namespace macareu::operators

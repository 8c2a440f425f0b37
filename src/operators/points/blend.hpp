#pragma once

#include <array>
#include <limits>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/wrong_value.hpp"
#include "operators/points/arithmetic.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct blend {
  static dtype result_type(const arguments& all, dtype input, const extents&) {
    const auto& weight = std::get<number>(all.at("weight"));
    if (weight.to_double() < 0 || weight.to_double() > 1)
      throw wrong_value("blend", "weight", "0 to 1", to_string(weight));
    return input;
  }

  static constexpr std::array inputs{input_description{"first", "grey or colour"},
                                     input_description{"second", "grey or colour"}};
  static constexpr std::array outputs{output_description{.name = "mean",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "the mean",
                                                         .may_replace_first_input = true,
                                                         .computed = &result_type,
                                                         .computed_help = "the input's type"}};
  static constexpr std::array parameters{
      parameter_description{"weight",
                            parameter_kind::number,
                            "0.5",
                            "of the first image; the second image gets 1 - weight",
                            {},
                            any_number}};
  static constexpr operator_description about{
      .name = "blend",
      .verb = "blend",
      .group = "points",
      .pattern = "map",
      .brief = "The weighted mean of two images.",
      .notes =
          "Computed in f32 for f32 and types of at most 16 bits, else in f64. Integers are rounded to the "
          "nearest, halves to even, and saturate. Both images have one type and shape.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .formula = "mean(p) = weight * first(p) + (1 - weight) * second(p)",
      .peers = {.matlab = "imlincomb", .opencv = "addWeighted"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    using rule = weighted_mean<T>;
    const double weight = call.quantity("weight").to_double();
    engine.map(rule{static_cast<typename rule::real>(weight), static_cast<typename rule::real>(1 - weight)},
               output<T>(engine, call, 0), input<T>(engine, call, 0), input<T>(engine, call, 1));
  }
};

}  // namespace macareu::operators

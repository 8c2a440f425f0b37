#pragma once

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/wrong_value.hpp"
#include "operators/filters/linear_filter.hpp"
#include "operators/filters/slope_length.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct slopes {
  static constexpr std::array taken{dtype::f32, dtype::f64};
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{
      output_description{"slopes", output_description::type_rule::same_as_input, "lengths, or one slope"}};
  static constexpr std::array parameters{
      parameter_description{
          "axes",
          parameter_kind::numbers,
          "",
          "along which there are slopes; those counted from the last, below 0, have a quarter "
          "of the weights",
          {},
          any_number},
      parameter_description{"dimensions", parameter_kind::number, "auto",
                            "how many axes count, the last ones"},
      border_parameter};

  template <int Rank>
  static slope_length<Rank> rule_of(const call& call) {
    const auto& axes = call.list<number>("axes");
    slope_length<Rank> rule{};
    rule.count = static_cast<int>(axes.size());
    rule.divisor = std::sqrt(Rank);
    if (axes.size() > rule.most)
      throw refused("axes", "at most " + std::to_string(rule.most), std::to_string(axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const double along = axes[i].to_double();
      if (along != std::floor(along) || along < -Rank || along >= Rank)
        throw refused("axes",
                      "whole numbers from " + std::to_string(-Rank) + " to " + std::to_string(Rank - 1),
                      to_string(axes[i]));
      rule.axis[i] = static_cast<int>(along) + (along < 0 ? 3 : 3 - Rank);
      const double own = (along < 0 ? 0.25 : 1) * std::exp2(1 - Rank);
      rule.weights[i] = {own, own / 2, own / 4};
    }
    return rule;
  }
  /// visit(rule) for the requested number of dimensions.
  template <class Visit>
  static void with_rule(const call& call, const Visit& visit) {
    const double asked =
        call.is_automatic("dimensions") ? call.rank() : call.quantity("dimensions").to_double();
    if (asked == 1) return visit(rule_of<1>(call));
    if (asked == 2) return visit(rule_of<2>(call));
    if (asked == 3 && call.rank() == 3) return visit(rule_of<3>(call));
    throw refused("dimensions", "1 to " + std::to_string(call.rank()),
                  to_string(call.quantity("dimensions")));
  }
  static void check(const call& call) {
    with_rule(call, [](const auto&) {});
  }

  static constexpr operator_description about{
      .name = "slopes",
      .verb = "slopes",
      .group = "filters",
      .pattern = "window",
      .brief = "Slopes by Sobel's filter in the arithmetic of scikit-image.",
      .notes =
          "One axis: weights (-1 0 1) along it and (1 2 1) / 4 along the others, in f64 and raster order. "
          "Several: the root of the sum of squares, divided by the root of the number of dimensions.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .check = &check,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    with_rule(call, [&](const auto& rule) {
      engine.window(rule, border<T>{border_named(call.choice("border")), T{0}}, output<T>(engine, call, 0),
                    input<T>(engine, call, 0));
    });
  }

 private:
  static call_error refused(const char* name, const std::string& allowed, const std::string& given) {
    return wrong_value("slopes", name, allowed, given);
  }
};

}  // namespace macareu::operators

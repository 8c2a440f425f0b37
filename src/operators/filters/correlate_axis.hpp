#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/wrong_value.hpp"
#include "operators/filters/linear_filter.hpp"
#include "patterns/images.hpp"
#include "patterns/weighted.hpp"

namespace macareu::operators {

struct correlate_axis {
  static constexpr std::array taken{dtype::u8, dtype::i16, dtype::u16, dtype::f32, dtype::f64};
  static constexpr std::array inputs{input_description{"image", "grey, of u8, i16, u16, f32 or f64"}};
  static constexpr std::array outputs{
      output_description{"sums", output_description::type_rule::same_as_input, "in the image's type"}};
  static constexpr std::array parameters{
      parameter_description{
          "axis", parameter_kind::number, "", "of the array, from 0 on", {}, 0, true, 2, true},
      parameter_description{
          "weights", parameter_kind::numbers, "", "from the middle on, one half", {}, any_number},
      parameter_description{"odd", parameter_kind::flag, "false", "the other half has the opposite sign"},
      border_parameter, outside_parameter};

  static void check(const call& call) {
    const auto& axis = call.quantity("axis");
    if (!(axis.to_double() < call.rank()))
      throw wrong_value("correlate_axis", "axis", "0 to " + std::to_string(call.rank() - 1), to_string(axis));
  }

  static constexpr operator_description about{
      .name = "correlate_axis",
      .verb = "correlate-axis",
      .group = "filters",
      .pattern = "weighted",
      .brief = "Sums along one axis in the arithmetic of SciPy.",
      .notes =
          "It is correlate1d with symmetric or antisymmetric weights: pairs of pixels are summed in f64, the "
          "outer ones first. Integers lose their fraction, and saturate.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .check = &check,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  /// By way of i32, which processors convert to in vectors.
  template <class T>
  struct without_fraction {
    MACAREU_HD T operator()(site, double value) const {
      if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(value);
      } else {
        constexpr double low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
        const double above = value > low ? value : low;
        return static_cast<T>(static_cast<std::int32_t>(above < high ? above : high));
      }
    }
  };

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto axis = static_cast<std::size_t>(call.quantity("axis").to_double() + 3 - call.rank());
    separable_weights<double> weights;
    for (const auto& each : call.list<number>("weights")) weights[axis].push_back(each.to_double());
    weights.odd[axis] = call.flag("odd");
    const border<double> edge{border_named(call.choice("border")), call.quantity("outside").to_double()};
    map_of_sums<double, T, T>(engine, without_fraction<T>{}, weights, edge, output<T>(engine, call, 0),
                              input<T>(engine, call, 0));
  }
};

}  // namespace macareu::operators

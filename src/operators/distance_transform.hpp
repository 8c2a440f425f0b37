#pragma once

#include <array>
#include <limits>
#include <type_traits>

#include "core/call.hpp"
#include "operators/parameters.hpp"
#include "rules/distance.hpp"
#include "rules/distance_plan.hpp"

namespace macareu::operators {

struct distance_transform {
  static constexpr std::array inputs{input_description{"image", "binary: zero or not"}};
  static constexpr std::array outputs{output_description{
      .name = "distance",
      .type = output_description::type_rule::computed,
      .help = "distance to the nearest zero pixel",
      .computed = &distance_type,
      .computed_help =
          "f32 or f64; squared: u32, or u64 where that is too small, or f64 where spacing is fractional"}};
  static constexpr std::array parameters{
      metric_parameter,
      spacing_parameter,
      parameter_description{"squared", parameter_kind::flag, "false",
                            "squares of euclidean distances, without rounding"},
      parameter_description{"type", parameter_kind::choice, "f32", "pixel type where not squared", "f32|f64"},
      invert_parameter,
      max_distance_parameter};
  static constexpr operator_description about{
      .name = "distance_transform",
      .verb = "distance",
      .group = "distance",
      .pattern = "line",
      .brief = "Distance of every pixel to the nearest zero pixel, exactly.",
      .notes =
          "Zero pixels get 0. The euclidean transform is exact: SciPy's distance_transform_edt, its sampling is "
          "spacing here. Computed in integers where spacing is whole, else in f64. Where there is no zero pixel "
          "the distance is infinity, or the type's maximum for integers; so it is beyond max_distance.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = call.input<T>(0);
    const auto first = call.rank() == 3 ? line_axis::z : line_axis::y;
    if (length_along(first, image) <= no_steps<std::uint16_t>)
      count_steps<std::uint16_t>(engine, call, first, image);
    else
      count_steps<std::uint32_t>(engine, call, first, image);
  }

 private:
  template <class Steps, class T, class Engine>
  static void count_steps(Engine& engine, const call& call, line_axis first, view<const T> image) {
    const along count{first, steps_to_site<Steps>{!call.flag("invert")}};
    const auto plan = plan_distances(call.about.name, call.values, call.inputs[0].shape());
    if (plan.fits(largest_u32))
      add_axes<std::uint32_t>(engine, call, plan, image, count);
    else if (plan.fits(largest_u64))
      add_axes<std::uint64_t>(engine, call, plan, image, count);
    else
      add_axes<double>(engine, call, plan, image, count);
  }

  template <class Value, class Steps, class T, class Engine>
  static void add_axes(Engine& engine, const call& call, const distance_plan& plan, view<const T> image,
                       const along<steps_to_site<Steps>>& count) {
    const auto range = range_of<Value>(plan);
    const auto along_y = cost_of<Value>(plan, line_axis::y);
    if (call.rank() == 2)
      return last_axis<Value>(call, plan, from_steps<Value>{along_y},
                              [&](auto out, const auto& last) { engine.lines(out, image, count, last); });
    const from_steps<Value> from{cost_of<Value>(plan, line_axis::z)};
    const along middle{line_axis::y, distance_pass<Value, from_steps<Value>, to_values<Value>>{
                                         along_y, plan.join, range, from, {}}};
    last_axis<Value>(call, plan, from_values<Value>{},
                     [&](auto out, const auto& last) { engine.lines(out, image, count, middle, last); });
  }

  /// run(output, the line along x that writes it)
  template <class Value, class Lift, class Run>
  static void last_axis(const call& call, const distance_plan& plan, const Lift& from, const Run& run) {
    const auto type = call.outputs[0].type();
    const auto write = [&]<class Out>(std::type_identity<Out>) {
      using limits = std::numeric_limits<Out>;
      constexpr Out far = limits::has_infinity ? limits::infinity() : limits::max();
      const auto pass = [&]<class Result>(const Result& to) {
        run(call.output<Out>(0), along{line_axis::x, distance_pass<Value, Lift, Result>{
                                                         cost_of<Value>(plan, line_axis::x), plan.join,
                                                         range_of<Value>(plan), from, to}});
      };
      if constexpr (limits::has_infinity)
        if (plan.root) return pass(to_root<Value, Out>{far});
      pass(to_distance<Value, Out>{far});
    };
    if (type == dtype::f32) return write(std::type_identity<float>{});
    if (type == dtype::f64) return write(std::type_identity<double>{});
    if constexpr (!std::is_floating_point_v<Value>) {
      if (type == dtype::u32) return write(std::type_identity<std::uint32_t>{});
      return write(std::type_identity<std::uint64_t>{});
    }
  }
};

}  // namespace macareu::operators

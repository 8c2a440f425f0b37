#pragma once

#include <array>
#include <type_traits>

#include "core/call.hpp"
#include "core/wide.hpp"
#include "operators/common/find.hpp"
#include "operators/common/parameters.hpp"
#include "operators/filters/slope_sum.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/window.hpp"

namespace macareu::operators {

struct sobel_itk {
  static constexpr std::array taken{dtype::f32, dtype::f64};
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{
      output_description{"gradient", output_description::type_rule::same_as_input, "length of the gradient"}};
  static constexpr std::array parameters{
      parameter_description{"single", parameter_kind::flag, "false", "round to f32 in images of f64 too"},
      parameter_description{"legacy", parameter_kind::flag, "true",
                            "in volumes the weights of ITK before version 6"}};
  static constexpr operator_description about{
      .name = "sobel_itk",
      .verb = "sobel-itk",
      .group = "filters",
      .pattern = "window",
      .brief = "The length of Sobel's gradient with the roundings of ITK's SobelEdgeDetectionImageFilter.",
      .notes =
          "Slopes are summed in f64 and raster order. Slopes, their squares, the sum of these and its root "
          "are rounded to the image's type. Weights beside an axis are (1 2 1), in volumes "
          "(1 2 1; 2 4 2; 1 2 1), or (1 3 1; 3 6 3; 1 3 1) before ITK 6. Infinity and NaN are refused: ITK "
          "multiplies them by weights of 0.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    if (engine.reduce(any_pixel<is_not_finite>{}, image))
      throw call_error({.kind = fault::pixels,
                        .operation = "sobel_itk",
                        .parts = {input_named("image"), " is not finite"}});
    const auto out = output<T>(engine, call, 0);
    if constexpr (std::is_same_v<T, double>) {
      in_f64(engine, call, call.flag("single"), out, image);
    } else if (call.rank() == 2) {
      engine.window(length_in_f32{}, border<float>{border_mode::nearest}, out, image);
    } else {
      const auto from = temporary<double>(engine, image), to = temporary<double>(engine, image);
      engine.map(as_type<double>{}, from.image(), image);
      in_f64(engine, call, true, to.image(), from.reading());
      engine.map(as_type<float>{}, out, to.reading());
    }
  }

  struct is_not_finite {
    template <class T>
    MACAREU_HD bool operator()(T value) const {
      return value - value != T{};
    }
  };

  /// Of images. Both squares are exact in f64, so their sum in f32 is the one that ITK rounds once.
  struct length_in_f32 {
    static constexpr bool wide = true;
    using value = double;
    MACAREU_HD static constexpr window_radius radius() { return {0, 1, 1}; }

    template <class Near>
    MACAREU_HD auto operator()(site, const Near& near) const {
      constexpr slope_weights weights{2, 1, 0};
      const auto x = converted_to<float>(slope_sum<2, 2>(near, weights)),
                 y = converted_to<float>(slope_sum<2, 1>(near, weights));
      return root(x * x + y * y);
    }
  };

  template <int Rank>
  struct length_in_f64 {
    static constexpr bool wide = true;
    using value = double;
    slope_weights weights;
    bool single;
    MACAREU_HD static constexpr window_radius radius() { return {Rank == 3, 1, 1}; }

    template <class Near>
    MACAREU_HD auto operator()(site, const Near& near) const {
      auto sum = square(slope_sum<Rank, 2>(near, weights)) + square(slope_sum<Rank, 1>(near, weights));
      if constexpr (Rank == 3) sum = sum + square(slope_sum<Rank, 0>(near, weights));
      return step(root(step(sum)));
    }

   private:
    template <class V>
    MACAREU_HD V step(const V& exact) const {
      return single ? converted_to<double>(converted_to<float>(exact)) : exact;
    }
    template <class V>
    MACAREU_HD V square(const V& slope) const {
      const auto rounded = step(slope);
      return step(rounded * rounded);
    }
  };

 private:
  template <class Engine>
  static void in_f64(Engine& engine, const call& call, bool single, const image_in<Engine, double>& out,
                     const image_in<Engine, const double>& image) {
    const border<double> edge{border_mode::nearest};
    if (call.rank() == 2) return engine.window(length_in_f64<2>{{2, 1, 0}, single}, edge, out, image);
    const auto weights = call.flag("legacy") ? slope_weights{6, 3, 1} : slope_weights{4, 2, 1};
    engine.window(length_in_f64<3>{weights, single}, edge, out, image);
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/wrong_value.hpp"
#include "operators/filters/gradient.hpp"
#include "operators/filters/linear_filter.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct sobel {
  static dtype result_type(const arguments& all, dtype input, const extents& shape) {
    const auto& wanted = std::get<std::string>(all.at("give"));
    if (wanted == "direction" && shape.rank() == 3)
      throw wrong_value("sobel", "give", "magnitude, x, y or z for a volume", wanted, fault::axes);
    if (wanted == "z" && shape.rank() == 2)
      throw wrong_value("sobel", "give", "magnitude, direction, x or y for an image", wanted, fault::axes);
    return size_of(input) <= 2 || input == dtype::f32 ? dtype::f32 : dtype::f64;
  }

  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{
      output_description{.name = "gradient",
                         .type = output_description::type_rule::computed,
                         .help = "length of the gradient, or what is asked for",
                         .computed = &result_type,
                         .computed_help = "f32 for types of at most 16 bits and f32, else f64"}};
  static constexpr std::array parameters{
      parameter_description{"give", parameter_kind::choice, "magnitude",
                            "length of the gradient, its direction, or one component",
                            "magnitude|direction|x|y|z"},
      border_parameter, outside_parameter};
  static constexpr operator_description about{
      .name = "sobel",
      .verb = "sobel",
      .group = "filters",
      .pattern = "window",
      .brief = "Gradient by Sobel's filter: its length, its direction or a component.",
      .notes =
          "Components are SciPy's sobel, exact for integers up to 32 bits. The magnitude is not scaled. The "
          "direction, of images only, is the angle from x towards y in radians, in (-pi, pi], and 0 where "
          "there is no gradient. Under a constant border SciPy applies the constant again between its "
          "passes; here it lies around the image only.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .formula =
          "g_x = (-1 0 1) along x, (1 2 1) along the others, likewise g_y, g_z; gradient = sqrt(g_x^2 + "
          "g_y^2 + g_z^2)",
      .peers = {.skimage = "filters.sobel",
                .scipy = "ndimage.sobel",
                .itk = "SobelEdgeDetectionImageFilter",
                .matlab = "imgradient",
                .opencv = "Sobel",
                .diplib = "SobelGradient"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    if (call.rank() == 3)
      run_rank<3, T>(engine, call);
    else
      run_rank<2, T>(engine, call);
  }

 private:
  /// Bytes and floats are read directly; other types are converted first, which keeps the code small.
  template <int Rank, class T, class Engine>
  static void run_rank(Engine& engine, const call& call) {
    using F = gradient_type<T>;
    const auto image = input<T>(engine, call, 0);
    const auto edge = border_of<T>(call);
    if constexpr (std::is_same_v<T, F> || std::is_same_v<T, std::uint8_t>) {
      give<Rank, F>(engine, call, edge, image);
    } else {
      const auto converted = temporary<F>(engine, image);
      engine.map(as_type<F>{}, converted.image(), image);
      give<Rank, F>(engine, call, border<F>{edge.mode, static_cast<F>(edge.outside)}, converted.reading());
    }
  }

  template <int Rank, class F, class In, class Engine>
  static void give(Engine& engine, const call& call, const border<In>& edge,
                   const image_in<Engine, const In>& in) {
    const auto& wanted = call.choice("give");
    const auto by = [&](const auto& rule) { engine.window(rule, edge, output<F>(engine, call, 0), in); };
    if (wanted == "magnitude") return by(gradient_magnitude<Rank, F>{});
    if (wanted == "x") return by(gradient_along<Rank, F, 2>{});
    if (wanted == "y") return by(gradient_along<Rank, F, 1>{});
    if constexpr (Rank == 3)
      by(gradient_along<Rank, F, 0>{});
    else
      by(gradient_direction<F>{});
  }
};

}  // namespace macareu::operators

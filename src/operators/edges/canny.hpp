#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/parameters.hpp"
#include "operators/edges/canny_itk.hpp"
#include "operators/edges/canny_plan.hpp"
#include "operators/edges/canny_skimage.hpp"
#include "patterns/edges.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct canny {
  static constexpr std::array inputs{input_description{"image", "grey"}};
  static constexpr std::array outputs{
      output_description{"edges", output_description::type_rule::boolean, "set on edges"},
      output_description{.name = "gradient",
                         .type = output_description::type_rule::computed,
                         .help = "length of the gradient of the smoothed image",
                         .computed = &canny_type,
                         .computed_help = "the type that is computed in: f32 or f64",
                         .optional = true},
      output_description{.name = "zero_crossings",
                         .type = output_description::type_rule::boolean,
                         .help = "where edges may be: before the thresholds",
                         .optional = true}};
  static constexpr std::array parameters{
      parameter_description{"flavour", parameter_kind::choice, "itk", "whose edges", "itk|skimage"},
      parameter_description{"sigma",
                            parameter_kind::numbers,
                            "1",
                            "standard deviation of the smoothing in pixels: one number for each axis of the "
                            "array, or one for all; 0 is none",
                            {},
                            0,
                            true},
      parameter_description{
          "low",
          parameter_kind::number,
          "auto",
          "an edge goes on where the gradient is above it; auto is 0 for itk, a tenth of the "
          "type's highest value for skimage",
          {},
          any_number},
      parameter_description{
          "high",
          parameter_kind::number,
          "auto",
          "an edge begins where the gradient is above it; auto is 0 for itk, a fifth of the "
          "type's highest value for skimage",
          {},
          any_number},
      parameter_description{"variance",
                            parameter_kind::numbers,
                            "auto",
                            "itk: the variance of the smoothing; auto is the square of sigma",
                            {},
                            any_number},
      parameter_description{"maximum_error", parameter_kind::numbers, "0.01",
                            "itk: share of the Gaussian that its weights may miss, below 1"},
      parameter_description{"border", parameter_kind::choice, "constant",
                            "skimage: what lies outside the image for the smoothing",
                            "constant|nearest|reflect|mirror|wrap"},
      parameter_description{"outside",
                            parameter_kind::number,
                            "0",
                            "skimage: the value outside, where border is constant",
                            {},
                            any_number}};
  static constexpr operator_description about{
      .name = "canny",
      .verb = "canny",
      .group = "filters",
      .pattern = "edges",
      .brief = "Canny's edges, as ITK or as scikit-image finds them.",
      .notes =
          "Flavour itk is CannyEdgeDetectionImageFilter, in images and volumes. It uses ITK's discrete "
          "Gaussian (at most 32 pixels wide on each side) and zero crossings of the second derivative along "
          "the gradient where the third is not positive. Hysteresis takes values strictly above the "
          "thresholds and all neighbours. Integers are computed as f32, f64 as f64. Flavour skimage is "
          "feature.canny, of images. It uses a sampled Gaussian up to 4 sigma, divided by the share of it "
          "that lies inside the image, and maxima of Sobel's gradient, interpolated between neighbours. "
          "Hysteresis takes values not below the thresholds. Integers are scaled to 0..1 or -1..1 in f64; "
          "thresholds are in the image's own values. NaN is refused, and so are parameters of the other "
          "flavour.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .formula =
          "g = f * Gaussian(sigma); candidates: zero crossings of the second derivative of g along its "
          "gradient (itk), or maxima of |grad g| along it (skimage); edges = hysteresis(|grad g| on "
          "candidates, low, high)",
      .peers = {.skimage = "feature.canny",
                .itk = "CannyEdgeDetectionImageFilter",
                .matlab = "edge",
                .opencv = "Canny",
                .diplib = "Canny"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto plan = plan_canny(call.values, call.inputs[0].type(), call.inputs[0].shape());
    const auto image = input<T>(engine, call, 0);
    refuse_nan<T>(engine, call, 0);
    if (is_itk_flavour(call.values)) {
      using value = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const auto low = static_cast<value>(plan.low), high = static_cast<value>(plan.high);
      const mapped source(as_type<value>{}, image);
      if (call.rank() == 3)
        find(engine, call, plan, itk_canny<value, 3>(low, high), source);
      else
        find(engine, call, plan, itk_canny<value, 2>(low, high), source);
    } else {
      using value = std::conditional_t<std::is_same_v<T, float>, float, double>;
      const skimage_canny<value> rule(static_cast<value>(plan.low), static_cast<value>(plan.high));
      find(engine, call, plan, rule, mapped(scaled_to_one<value>{call.of_booleans()}, image));
    }
  }

 private:
  template <class Rule, class Source, class Engine>
  static void find(Engine& engine, const call& call, const canny_plan& plan, const Rule& rule,
                   const Source& source) {
    constexpr std::size_t gradient = 1, crossings = 2;
    kept_stages<image_in<Engine, typename Rule::value>, image_in<Engine, std::uint8_t>> kept;
    if (call.wants(gradient)) kept.gradient = output<typename Rule::value>(engine, call, gradient);
    if (call.wants(crossings)) kept.crossings = output<std::uint8_t>(engine, call, crossings);
    engine.edges(rule, plan.smooth, neighbourhood{call.rank(), call.rank()},
                 output<std::uint8_t>(engine, call, 0), kept, source);
  }
};

}  // namespace macareu::operators

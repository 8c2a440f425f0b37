#pragma once

#include <array>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/filters/gaussian_weights.hpp"
#include "operators/filters/linear_filter.hpp"
#include "patterns/map.hpp"
#include "patterns/weighted.hpp"

namespace macareu::operators {

struct laplacian_of_gaussian {
  /// Also checks the parameters against the shape.
  static dtype result_type(const arguments& all, dtype input, const extents& shape) {
    check_sigmas("laplacian_of_gaussian", all, shape);
    return filtered_type(all, input, shape);
  }

  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{.name = "laplacian",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "below 0 on bright blobs",
                                                         .computed = &result_type,
                                                         .computed_help = filtered_type_help}};
  static constexpr std::array parameters{
      parameter_description{
          "sigma", parameter_kind::numbers, "1",
          "standard deviation in pixels: one number for each axis of the array, or one for all"},
      truncate_parameter, border_parameter, outside_parameter, filtered_type_parameter};
  static constexpr operator_description about{
      .name = "laplacian_of_gaussian",
      .verb = "laplacian-of-gaussian",
      .group = "filters",
      .pattern = "weighted",
      .brief = "The Laplacian of the smoothed image: blobs and edges.",
      .notes =
          "It is SciPy's gaussian_laplace. For each axis the image is filtered with a second derivative "
          "along it and smoothed along the others. Multiply by -sigma^2 to compare scales. Computed in f32 "
          "where the result is f32 or has at most 16 bits, else in f64. SciPy computes in f64. In f32 a "
          "result differs from it by at most 2^-24 * (r + 5) * n * n * w times the largest magnitude around "
          "it. There n counts axes, r is the radius, and w the sum of the derivative's weights without signs.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .formula =
          "laplacian(p) = sum over the axes of f * g'' along the axis * g along the others; g is that of "
          "gaussian, g''(x) = (x^2 / sigma^4 - 1 / sigma^2) g(x)",
      .peers = {.scipy = "ndimage.gaussian_laplace",
                .itk = "LaplacianRecursiveGaussianImageFilter",
                .matlab = "fspecial('log')",
                .diplib = "Laplace"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    filtered<T>(engine, call,
                [&]<template <class> class Image, class F, class In>(Image<F> out, Image<const In> in) {
                  if constexpr (std::is_same_v<F, In>) {
                    add_derivatives(engine, call, out, in);
                  } else {  // fewer types to compile, and several passes read it
                    const auto converted = temporary<F>(engine, in);
                    engine.map(as_type<F>{}, converted.image(), in);
                    add_derivatives(engine, call, out, converted.reading());
                  }
                });
  }

  struct sum {
    template <class F>
    MACAREU_HD F operator()(site, F a, F b) const {
      return a + b;
    }
  };

 private:
  template <class Engine, template <class> class Image, class F>
  static void add_derivatives(Engine& engine, const call& call, const Image<F>& out,
                              const Image<const F>& in) {
    const auto sigma = sigmas_of("laplacian_of_gaussian", call.values, call.inputs[0].shape());
    const auto axes = sigma.size();
    const auto more = temporary<F>(engine, in);
    for (std::size_t along = 0; along < axes; ++along) {
      separable_weights<F> half;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        auto exact =
            gaussian_weights("laplacian_of_gaussian", sigma[axis], call.quantity("truncate").to_double());
        const double square = sigma[axis] * sigma[axis];
        if (axis == along)
          for (std::size_t x = 0; x < exact.size(); ++x)
            exact[x] *= static_cast<double>(x * x) / (square * square) - 1 / square;
        if (exact.size() > 1 || axis == along) half[axis + 3 - axes].assign(exact.begin(), exact.end());
      }
      engine.separable(half, border_of<F>(call), along == 0 ? out : more.image(), in);
      if (along > 0) engine.map(sum{}, out, out.reading(), more.reading());
    }
  }
};

}  // namespace macareu::operators

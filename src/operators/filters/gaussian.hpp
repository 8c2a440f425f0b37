#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/filters/gaussian_weights.hpp"
#include "operators/filters/linear_filter.hpp"
#include "patterns/weighted.hpp"

namespace macareu::operators {

struct gaussian {
  /// Also checks the parameters against the shape.
  static dtype result_type(const arguments& all, dtype input, const extents& shape) {
    check_sigmas("gaussian", all, shape);
    return filtered_type(all, input, shape);
  }

  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{.name = "smooth",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "the smoothed image",
                                                         .computed = &result_type,
                                                         .computed_help = filtered_type_help}};
  static constexpr std::array parameters{
      parameter_description{
          "sigma",
          parameter_kind::numbers,
          "1",
          "standard deviation in pixels: one number for each axis of the array, or one for all; 0 is none",
          {},
          0,
          true},
      truncate_parameter, border_parameter, outside_parameter, filtered_type_parameter};
  static constexpr operator_description about{
      .name = "gaussian",
      .verb = "gaussian",
      .group = "filters",
      .pattern = "weighted",
      .brief = "Gaussian smoothing.",
      .notes =
          "It is SciPy's gaussian_filter: one sum along each axis, the first axis first. Computed in f32 "
          "where the result is f32 or has at most 16 bits, else in f64. SciPy computes in f64. In f32 a "
          "result differs from it by at most 2^-24 * (r + 4) times the largest magnitude around it for "
          "every axis, where r is the radius. With sigma 1.4 that is 1.2e-6 in images.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .formula =
          "smooth(p) = sum over x of w(x) * f(p + x) along each axis; w(x) = exp(-x^2 / (2 sigma^2)) / "
          "sum, |x| <= r; r = floor(truncate * sigma + 1/2)",
      .peers = {.skimage = "filters.gaussian",
                .scipy = "ndimage.gaussian_filter",
                .itk = "DiscreteGaussianImageFilter",
                .matlab = "imgaussfilt",
                .opencv = "GaussianBlur",
                .diplib = "Gauss"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto sigma = sigmas_of("gaussian", call.values, call.inputs[0].shape());
    filtered<T>(engine, call,
                [&]<template <class> class Image, class F, class In>(Image<F> out, Image<const In> in) {
                  separable_weights<F> half;
                  for (std::size_t axis = 0; axis < sigma.size(); ++axis) {
                    const auto exact =
                        gaussian_weights("gaussian", sigma[axis], call.quantity("truncate").to_double());
                    if (exact.size() > 1) half[axis + 3 - sigma.size()].assign(exact.begin(), exact.end());
                  }
                  engine.separable(half, border_of<F>(call), out, in);
                });
  }
};

}  // namespace macareu::operators

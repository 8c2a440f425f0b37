#pragma once

#include <array>
#include <cmath>
#include <string>

#include "core/call.hpp"
#include "operators/common/exponential.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/wrong_value.hpp"
#include "operators/filters/linear_filter.hpp"
#include "patterns/weighted.hpp"

namespace macareu::operators {

struct gaussian {
  static constexpr int largest_radius = 4096;

  /// SciPy's: exp(-x^2 / (2 sigma^2)) up to the radius floor(truncate * sigma + 1/2), divided by the sum.
  static std::vector<double> weights(double sigma, double truncate) {
    if (sigma == 0) return {1};
    const double reach = truncate * sigma + 0.5;
    if (!(reach < largest_radius + 1))
      throw call_error({.kind = fault::conflict,
                        .operation = "gaussian",
                        .parts = {parameter_named("sigma"), " times ", parameter_named("truncate"),
                                  ": expected at most " + std::to_string(largest_radius) + " pixels, got " +
                                      to_string(number(truncate * sigma))},
                        .given = to_string(number(truncate * sigma)),
                        .allowed = "at most " + std::to_string(largest_radius)});
    std::vector<double> half(static_cast<std::size_t>(reach) + 1);
    double sum = 0;
    for (std::size_t x = half.size(); x-- > 0;) {
      half[x] = exponential(-0.5 / (sigma * sigma) * static_cast<double>(x * x));
      sum += x == 0 ? half[x] : 2 * half[x];
    }
    for (auto& weight : half) weight /= sum;
    return half;
  }

  /// In the order of the axes of the array.
  static std::vector<double> sigmas(const arguments& all, const extents& shape) {
    const auto& given = std::get<std::vector<number>>(all.at("sigma"));
    if (given.size() != 1 && std::cmp_not_equal(given.size(), shape.rank()))
      throw wrong_value("gaussian", "sigma",
                        "one number, or one for each of " + std::to_string(shape.rank()) + " axes",
                        std::to_string(given.size()), fault::axes);
    std::vector<double> sigma;
    for (int axis = 0; axis < shape.rank(); ++axis)
      sigma.push_back(given[given.size() == 1 ? 0 : static_cast<std::size_t>(axis)].to_double());
    return sigma;
  }

  /// Also checks the parameters against the shape.
  static dtype result_type(const arguments& all, dtype input, const extents& shape) {
    for (const double sigma : sigmas(all, shape))
      weights(sigma, std::get<number>(all.at("truncate")).to_double());
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
      parameter_description{"truncate", parameter_kind::number, "4",
                            "radius of the filter in standard deviations"},
      border_parameter, outside_parameter, filtered_type_parameter};
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
    const auto sigma = sigmas(call.values, call.inputs[0].shape());
    filtered<T>(engine, call,
                [&]<template <class> class Image, class F, class In>(Image<F> out, Image<const In> in) {
                  separable_weights<F> half;
                  for (std::size_t axis = 0; axis < sigma.size(); ++axis) {
                    const auto exact = weights(sigma[axis], call.quantity("truncate").to_double());
                    if (exact.size() > 1) half[axis + 3 - sigma.size()].assign(exact.begin(), exact.end());
                  }
                  engine.separable(half, border_of<F>(call), out, in);
                });
  }
};

}  // namespace macareu::operators

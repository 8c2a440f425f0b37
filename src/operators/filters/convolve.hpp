#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/parameters.hpp"
#include "operators/filters/linear_filter.hpp"
#include "patterns/images.hpp"
#include "patterns/weighted.hpp"

namespace macareu::operators {

struct convolve {
  static constexpr std::int64_t longest = 1024;

  static void check_kernel(const call& call) {
    const auto& shape = call.inputs[1].shape();
    const auto refuse = [](const std::string& allowed, const std::string& given) {
      throw call_error({.kind = fault::shape,
                        .operation = "convolve",
                        .parts = {input_named("kernel"), ": expected " + allowed + ", got " + given},
                        .given = given,
                        .allowed = allowed});
    };
    if (shape.rank() != call.rank())
      refuse("as many axes as the image, " + std::to_string(call.rank()), std::to_string(shape.rank()));
    if (shape.depth() > longest || shape.height() > longest || shape.width() > longest)
      refuse("at most " + std::to_string(longest) + " weights along an axis", to_string(shape));
    if (shape.pixels() == 0) refuse("at least one weight", to_string(shape));
  }

  static constexpr std::array inputs{
      input_description{"image", "grey or colour"},
      input_description{"kernel", "the weights: an image of any type and shape, with as many axes", true}};
  static constexpr std::array outputs{output_description{.name = "filtered",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "the filtered image",
                                                         .computed = &filtered_type,
                                                         .computed_help = filtered_type_help}};
  static constexpr std::array parameters{border_parameter, outside_parameter, filtered_type_parameter};
  static constexpr operator_description about{
      .name = "convolve",
      .verb = "convolve",
      .group = "filters",
      .pattern = "weighted",
      .brief = "Convolution with a kernel.",
      .notes =
          "It is SciPy's convolve; the middle of n weights is n / 2, rounded down. Computed in f32 where "
          "the result is f32 or has at most 16 bits, else in f64. The result is exact where weights and "
          "pixels are whole numbers and sums stay below 2^24, or 2^53 in f64.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .check = &check_kernel,
      .formula = "filtered(p) = sum over j of kernel(j) * f(p + middle - j)",
      .peers = {.scipy = "ndimage.convolve",
                .itk = "ConvolutionImageFilter",
                .matlab = "imfilter",
                .opencv = "filter2D",
                .diplib = "GeneralConvolution"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    filtered<T>(engine, call,
                [&]<template <class> class Image, class F, class In>(Image<F> out, Image<const In> in) {
                  const auto taps = taps_of<F>(engine, call);
                  engine.weighted(std::span<const tap<F>>(taps), border_of<F>(call), out, in);
                });
  }

 private:
  /// Taps of weights that are not 0, in the order of their pixels.
  template <class F, class Engine>
  static std::vector<tap<F>> taps_of(Engine& engine, const call& call) {
    std::vector<tap<F>> taps;
    with_pixel_type(call.inputs[1].type(), [&]<class K>(std::type_identity<K>) {
      const auto kernel = input<K>(engine, call, 1);
      const auto& size = kernel.whole();
      for (auto z = size.depth; z-- > 0;)
        for (auto y = size.height; y-- > 0;)
          for (auto x = size.width; x-- > 0;)
            if (const F weight = static_cast<F>(engine.read(kernel, site{z, y, x})); weight != 0)
              taps.push_back({static_cast<int>(size.depth / 2 - z), static_cast<int>(size.height / 2 - y),
                              static_cast<int>(size.width / 2 - x), weight});
    });
    return taps;
  }
};

}  // namespace macareu::operators

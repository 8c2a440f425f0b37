#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "core/key.hpp"
#include "operators/common/interpolation.hpp"
#include "operators/common/scaling.hpp"
#include "patterns/gather.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct enlarge {
  static extents enlarged_shape(const arguments& all, const extents& input) {
    auto sizes = axis_numbers("enlarge", "size", std::get<std::vector<number>>(all.at("size")), input.rank());
    for (int axis = 0; axis < input.rank(); ++axis) {
      auto& size = sizes[static_cast<std::size_t>(axis)];
      if (size == 0 || input[axis] == 0) size = 2 * input[axis];  // nothing stays nothing
    }
    return extents(std::span<const std::int64_t>(sizes).first(static_cast<std::size_t>(input.rank())));
  }
  static void check_size(const call& call) {
    const auto& input = call.inputs[0].shape();
    const auto shape = enlarged_shape(call.values, input);
    for (int axis = 0; axis < input.rank(); ++axis)
      if (shape[axis] < input[axis])
        throw wrong_value("enlarge", "size", "at least " + to_string(input) + ", the image's size",
                          to_string(shape));
  }

  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{.name = "enlarged",
                                                         .type = output_description::type_rule::same_as_input,
                                                         .help = "the larger image",
                                                         .shape = &enlarged_shape}};
  static constexpr std::array parameters{
      parameter_description{
          .name = "size",
          .kind = parameter_kind::numbers,
          .default_text = "auto",
          .help = "of the result: one whole number for each axis of the array, or one for all; auto: "
                  "twice the image's",
          .above = 1,
          .or_equal = true,
          .whole = true},
      parameter_description{"method", parameter_kind::choice, "linear",
                            "how pixels between those of the image are made; nearest suits labels",
                            "linear|nearest"}};
  static constexpr operator_description about{
      .name = "enlarge",
      .verb = "enlarge",
      .group = "points",
      .pattern = "gather",
      .brief = "Makes an image larger, by linear interpolation or by repeating pixels.",
      .notes =
          "Pixels are squares, as in OpenCV and scikit-image: the middle of pixel x of n lies at (x + 1/2) / n "
          "of the side. Beyond the middles of the outermost pixels their value stays. Places are exact "
          "fractions; values are mixed in f64 along x, then y, then z. Integers are rounded to the nearest, "
          "halves to even. Linear interpolation from 64-bit integers keeps 53 bits.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .check = &check_size,
      .formula = "enlarged(p) = f at (p + 1/2) n / m - 1/2, from n to m pixels",
      .peers = {.skimage = "transform.resize",
                .scipy = "ndimage.zoom",
                .itk = "ResampleImageFilter",
                .matlab = "imresize",
                .opencv = "resize",
                .diplib = "Resampling"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    using Key = key_of<T>;
    const auto image = input<T>(engine, call, 0);
    const frame from = image.whole(), to = output<T>(engine, call, 0).whole();
    const scaled_image axes{{from.depth, to.depth}, {from.height, to.height}, {from.width, to.width}};
    if (call.chosen("method", "linear"))
      engine.gather(linear_between<T>{axes}, output<T>(engine, call, 0), image);
    else
      engine.gather(nearest_in<Key>{axes}, output<Key>(engine, call, 0), image.template as<const Key>());
  }
};

}  // namespace macareu::operators

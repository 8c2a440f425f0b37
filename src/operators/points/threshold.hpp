#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/numbers.hpp"
#include "operators/common/parameters.hpp"
#include "operators/points/otsu.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct threshold {
  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{"mask", output_description::type_rule::boolean,
                                                         "set where the image is above the value"}};
  static constexpr std::array parameters{parameter_description{
      "value", parameter_kind::number, "auto", "grey value; auto finds it by Otsu's method", {}, any_number}};
  static constexpr operator_description about{
      .name = "threshold",
      .verb = "threshold",
      .group = "points",
      .pattern = "map",
      .brief = "Marks the pixels that are above a value: a given one, or Otsu's.",
      .notes =
          "Otsu's value maximises the variance between both parts of the histogram, as scikit-image's "
          "threshold_otsu. Integers whose range is below 65536 have one bin for every value. Other images "
          "have 256 bins from their smallest to their largest value, and the threshold is the middle of a "
          "bin. A constant image has no pixel above it.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .reads_in_pieces = {3},
      .formula =
          "mask(p) = f(p) > value; Otsu: value = argmax over t of w0(t) w1(t) (m0(t) - m1(t))^2, with "
          "shares w and means m of both parts",
      .peers = {.skimage = "filters.threshold_otsu",
                .itk = "OtsuThresholdImageFilter, BinaryThresholdImageFilter",
                .matlab = "imbinarize, graythresh",
                .opencv = "threshold",
                .diplib = "OtsuThreshold, FixedThreshold"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    if (!call.is_automatic("value")) return;
    refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    const auto value = call.is_automatic("value") ? otsu_threshold<T>(engine, image) : call.quantity("value");
    const auto first = smallest_above<T>(value);
    if (!first) return engine.map(nowhere{}, output<std::uint8_t>(engine, call, 0));
    engine.map(at_least<T>{*first}, output<std::uint8_t>(engine, call, 0), image);
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/numbers.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/percentile.hpp"
#include "operators/common/wrong_value.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct rescale {
  static void check_range(const call& call) {
    const auto &low = call.quantity("low"), &high = call.quantity("high");
    if (low.to_double() >= high.to_double())
      throw wrong_value("rescale", "high", "more than low, " + to_string(low), to_string(high));
    if (call.quantity("low_percentile").to_double() >= call.quantity("high_percentile").to_double())
      throw wrong_value("rescale", "high_percentile",
                        "more than low_percentile, " + to_string(call.quantity("low_percentile")),
                        to_string(call.quantity("high_percentile")));
  }

  static constexpr std::array taken{dtype::u8, dtype::u16, dtype::i16, dtype::f32};
  static constexpr std::array inputs{
      input_description{"image", "grey or colour, of type u8, u16, i16 or f32"}};
  static constexpr std::array outputs{output_description{.name = "rescaled",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "the image in the new range",
                                                         .computed = &chosen_type,
                                                         .computed_help = "the type that is asked for"}};
  static constexpr std::array parameters{
      parameter_description{"low",
                            parameter_kind::number,
                            "auto",
                            "becomes the least value; auto: by low_percentile",
                            {},
                            any_number},
      parameter_description{"high",
                            parameter_kind::number,
                            "auto",
                            "becomes the greatest value; auto: by high_percentile",
                            {},
                            any_number},
      parameter_description{
          "low_percentile", parameter_kind::number, "0", "0 is the image's smallest value", {}, 0, true, 100},
      parameter_description{"high_percentile",
                            parameter_kind::number,
                            "100",
                            "100 is the image's largest value",
                            {},
                            0,
                            true,
                            100},
      parameter_description{"type", parameter_kind::choice, "f32",
                            "pixel type of the result, whose range is 0 to 255, 65535 or 1", "u8|u16|f32"}};
  static constexpr operator_description about{
      .name = "rescale",
      .verb = "rescale",
      .group = "points",
      .pattern = "map",
      .brief = "Stretches the values from low to high over the range of a pixel type.",
      .notes =
          "It is scikit-image's rescale_intensity, computed in f64. Integers are rounded to the nearest, "
          "halves to even; scikit-image rounds down. Values outside become the ends of the range. "
          "Percentiles are NumPy's. Where low and high are equal the image becomes 0. Each channel of a colour image has its own "
          "range, unless low and high are given.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .check = &check_range,
      .types = taken,
      .reads_in_pieces = {3},
      .formula = "rescaled(p) = min(max((f(p) - low) / (high - low), 0), 1) * greatest",
      .peers = {.skimage = "exposure.rescale_intensity",
                .itk = "RescaleIntensityImageFilter",
                .matlab = "imadjust, mat2gray",
                .opencv = "normalize",
                .diplib = "ContrastStretch"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
    if (call.is_automatic("low") == call.is_automatic("high")) return;
    const auto [low, high] = range_of<T>(engine, call);
    if (low <= high) return;
    if (call.is_automatic("low"))
      throw wrong_value("rescale", "high", "at least low, which is " + value_text(low) + " by low_percentile",
                        value_text(high));
    throw wrong_value("rescale", "low", "at most high, which is " + value_text(high) + " by high_percentile",
                      value_text(low));
  }

  template <class T, class Engine>
  static std::pair<double, double> range_of(Engine& engine, const call& call) {
    const auto bound = [&](const char* name, const char* percent) {
      return call.is_automatic(name)
                 ? percentile<T>(engine, input<T>(engine, call, 0), call.quantity(percent).to_double())
                 : call.quantity(name).to_double();
    };
    return {bound("low", "low_percentile"), bound("high", "high_percentile")};
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    const auto [low, high] = range_of<T>(engine, call);
    const auto type = call.outputs[0].type();
    if (type == dtype::u8)
      engine.map(stretched<std::uint8_t>{low, high - low, 255}, output<std::uint8_t>(engine, call, 0), image);
    else if (type == dtype::u16)
      engine.map(stretched<std::uint16_t>{low, high - low, 65535}, output<std::uint16_t>(engine, call, 0),
                 image);
    else
      engine.map(stretched<float>{low, high - low, 1}, output<float>(engine, call, 0), image);
  }

  template <class To>
  struct stretched {
    double low, apart, greatest;
    template <class T>
    MACAREU_HD To operator()(site, T value) const {
      const double share = (static_cast<double>(value) - low) / apart;
      if (!(share > 0 && apart > 0)) return To{0};
      return nearest_pixel<To>(share < 1 ? share * greatest : greatest);
    }
  };
};

}  // namespace macareu::operators

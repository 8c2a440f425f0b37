#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/range.hpp"
#include "operators/common/wrong_value.hpp"
#include "operators/filters/gaussian_weights.hpp"
#include "operators/filters/linear_filter.hpp"
#include "operators/filters/local_means.hpp"
#include "operators/filters/local_threshold_rules.hpp"
#include "operators/filters/two_classes.hpp"
#include "operators/points/otsu.hpp"
#include "patterns/boxes.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/weighted.hpp"

namespace macareu::operators {

struct local_threshold {
  static constexpr int largest_window = 1001;
  /// Of the image at its own size, by gaussian.
  static constexpr double widest_sigma = 32;

  static void check_window(const call& call) { radii_of(call); }

  static constexpr std::array taken{dtype::u8, dtype::u16, dtype::f32};
  static constexpr std::array inputs{input_description{"image", "grey or colour, of type u8, u16 or f32"}};
  static constexpr std::array outputs{output_description{"mask", output_description::type_rule::boolean,
                                                         "set where the image is above its threshold"}};
  static constexpr std::array parameters{
      parameter_description{"window",
                            parameter_kind::numbers,
                            "15",
                            "odd size of the window in pixels: one number for each axis of the "
                            "array, or one for all",
                            {},
                            0,
                            false,
                            largest_window,
                            true},
      parameter_description{"method", parameter_kind::choice, "mean", "how the threshold is found",
                            "mean|gaussian|sauvola|niblack|two_class"},
      parameter_description{"margin",
                            parameter_kind::number,
                            "0",
                            "subtracted from the threshold, by mean, gaussian and two_class",
                            {},
                            any_number},
      parameter_description{"k",
                            parameter_kind::number,
                            "0.2",
                            "weight of the deviation, by sauvola and niblack",
                            {},
                            any_number},
      parameter_description{"r", parameter_kind::number, "auto",
                            "largest deviation, by sauvola; auto: 127.5 for u8, 32767.5 for u16, 1 for f32"},
      parameter_description{"weight",
                            parameter_kind::number,
                            "0.45",
                            "of the mean of bright pixels, by two_class; dark pixels have the rest",
                            {},
                            0,
                            true,
                            1},
      parameter_description{"scale", parameter_kind::number, "1",
                            "what the threshold is multiplied by, by two_class"},
      parameter_description{
          "border", parameter_kind::choice, "standard",
          "what lies outside the image, in SciPy's words; standard: mirror for sauvola and niblack, "
          "else reflect",
          "standard|constant|nearest|reflect|mirror|wrap"},
      outside_parameter};
  static constexpr operator_description about{
      .name = "local_threshold",
      .verb = "local-threshold",
      .group = "filters",
      .pattern = "window",
      .brief = "Marks the pixels that are above a threshold found in a window around them.",
      .notes =
          "The definitions and defaults are scikit-image's: threshold_local, threshold_sauvola and "
          "threshold_niblack. The time of mean, sauvola and niblack does not depend on the window in images; "
          "in volumes it grows with the number of slices. Their sums are exact. Those of f32 are of values "
          "rounded to multiples of 2^-b of the largest magnitude. By mean b is at least 32; by sauvola and "
          "niblack it is 25 for a window of 101. The mean is compared exactly; scikit-image's has rounding "
          "errors, so pixels that equal the mean may differ. By gaussian and two_class, sums are in f32, and "
          "sigma is (window - 1) / 6. Two_class divides the image in bright and dark pixels by Otsu's "
          "threshold of 256 bins. It takes the local mean of each class, pulled to the global one by 5 % of the "
          "window. Where sigma is at least 32, or 4 by two_class, the image is reduced first and its local "
          "means are enlarged linearly. That bounds the time. By gaussian 0.03 % of the pixels of "
          "tissue differ from scikit-image's then. An image of one value has no bright pixels.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .check = &check_window,
      .types = taken,
      .formula =
          "mask(p) = f(p) > t(p); mean, gaussian: t = m - margin; niblack: t = m - k s; sauvola: t = m (1 + "
          "k (s / r - 1)); m and s are mean and standard deviation of the window; two_class: t = scale (d + "
          "weight (b - d)) - margin; b and d are the local means of bright and dark pixels",
      .peers = {.skimage = "filters.threshold_local, filters.threshold_sauvola, filters.threshold_niblack",
                .matlab = "adaptthresh",
                .opencv = "adaptiveThreshold"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
    if constexpr (std::is_floating_point_v<T>) magnitude(engine, call);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    const auto out = output<std::uint8_t>(engine, call, 0);
    const auto radius = radii_of(call);
    const double margin = call.quantity("margin").to_double();
    if (call.chosen("method", "gaussian")) return above_smooth<T>(engine, call, out, image, radius, margin);
    if (call.chosen("method", "two_class")) {
      if constexpr (std::is_same_v<T, float>) {
        mark_by_classes(engine, call, out, image, radius);
      } else {
        const auto values = temporary<float>(engine, image);
        engine.map(as_type<float>{}, values.image(), image);
        mark_by_classes(engine, call, out, values.reading(), radius);
      }
      return;
    }
    const border<T> edge{mode_of(call), pixel_from<T>(call.quantity("outside"))};
    const std::int64_t pixels = (2 * std::int64_t{radius.z} + 1) * (2 * std::int64_t{radius.y} + 1) *
                                (2 * std::int64_t{radius.x} + 1);
    double largest = static_cast<double>(std::numeric_limits<T>::max());
    if constexpr (std::is_floating_point_v<T>)
      largest = std::max(magnitude(engine, call), std::abs(static_cast<double>(edge.outside)));
    const auto with_sums = [&](const auto& rule) {
      sum_boxes<Engine, std::remove_cvref_t<decltype(rule)>, T, std::uint8_t>(engine, rule, radius, edge, out,
                                                                              image);
    };
    if (call.chosen("method", "mean")) {
      const bool narrow =
          std::is_same_v<T, std::uint8_t> && 2 * largest * static_cast<double>(pixels) < 0x1p31;
      if (std::is_same_v<T, std::uint8_t> && narrow)
        with_sums(above_mean<T, std::uint32_t>(pixels, margin, largest));
      else
        with_sums(above_mean<T, std::uint64_t>(pixels, margin, largest));
    } else {
      const double given = call.quantity("r").to_double(), r = !std::isnan(given)            ? given
                                                               : std::is_floating_point_v<T> ? 1
                                                                                             : largest / 2;
      with_sums(above_deviation<T>(pixels, largest, call.quantity("k").to_double(),
                                   call.chosen("method", "sauvola") ? r : 0));
    }
  }

 private:
  static border_mode mode_of(const call& call) {
    const auto& name = call.choice("border");
    if (name != "standard") return border_named(name);
    return call.chosen("method", "sauvola") || call.chosen("method", "niblack") ? border_mode::mirror
                                                                                : border_mode::reflect;
  }

  static window_radius radii_of(const call& call) {
    const auto& given = call.list<number>("window");
    const auto rank = static_cast<std::size_t>(call.rank());
    if (given.size() != 1 && given.size() != rank)
      throw wrong_value("local_threshold", "window",
                        "one number, or one for each of " + std::to_string(rank) + " axes",
                        std::to_string(given.size()), fault::axes);
    std::array<int, 3> radius{};
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const auto& one = given[given.size() == 1 ? 0 : axis];
      const int size = static_cast<int>(one.to_double());
      if (size % 2 == 0) throw wrong_value("local_threshold", "window", "odd numbers", to_string(one));
      radius[axis + 3 - rank] = size / 2;
    }
    return {radius[0], radius[1], radius[2]};
  }

  /// Of the largest and the smallest value.
  template <class Engine>
  static double magnitude(Engine& engine, const call& call) {
    const double most = largest_of(engine, input<float>(engine, call, 0));
    if (!std::isfinite(most))
      throw call_error({.kind = fault::pixels,
                        .operation = "local_threshold",
                        .parts = {"the range of the image is not finite; replace infinite pixels first"}});
    return most;
  }

  template <class T, class Engine>
  static void above_smooth(Engine& engine, const call& call, const image_in<Engine, std::uint8_t>& out,
                           const image_in<Engine, const T>& image, window_radius radius, double margin) {
    const auto values = temporary<float>(engine, image);
    engine.map(as_type<float>{}, values.image(), image);
    const local_means<Engine> means(engine, image.whole(), radius, widest_sigma);
    const auto smooth = temporary<float>(engine, image);
    means.find(smooth.image(), values.reading(),
               border<float>{mode_of(call), pixel_from<float>(call.quantity("outside"))});
    engine.map(above_other{margin}, out, values.reading(), smooth.reading());
  }

  template <class Engine>
  static void mark_by_classes(Engine& engine, const call& call, const image_in<Engine, std::uint8_t>& out,
                              const image_in<Engine, const float>& image, window_radius radius) {
    const auto split = static_cast<float>(otsu_threshold<float>(engine, image).to_double());
    const class_sums rule{split, whole_values<float, std::uint64_t>::of(
                                     largest_of(engine, image), 62 - bits_of(image.whole().pixels()))};
    const auto sums = engine.reduce(rule, image);
    if (sums.pixels[0] == 0 || sums.pixels[1] == 0) return engine.map(nowhere{}, out);

    const local_means<Engine> means(engine, image.whole(), radius, 4);
    const float outside = pixel_from<float>(call.quantity("outside"));
    const auto mode = mode_of(call);
    const auto mean_of = [&](class_part part) {
      const class_values own{split, part};
      const border<float> edge{mode, own({}, outside)};
      auto result = temporary<float>(engine, image);
      if (means.is_reduced()) {
        engine.map(own, result.image(), image);
        means.find(result.image(), result.reading(), edge);
      } else {
        const auto values = temporary<float>(engine, image);
        engine.map(own, values.image(), image);
        means.find(result.image(), values.reading(), edge);
      }
      return result;
    };
    const auto bright = mean_of(class_part::bright), dark = mean_of(class_part::dark),
               share = mean_of(class_part::share);
    engine.map(above_classes{rule.mean(sums, 1), rule.mean(sums, 0), call.quantity("weight").to_double(),
                             call.quantity("scale").to_double(), call.quantity("margin").to_double()},
               out, image, bright.reading(), dark.reading(), share.reading());
  }

  template <class Engine>
  static double largest_of(Engine& engine, const image_in<Engine, const float>& image) {
    const auto range = engine.reduce(key_range<float>{}, image);
    return std::max(std::abs(static_cast<double>(from_key<float>(range.lowest))),
                    std::abs(static_cast<double>(from_key<float>(range.highest))));
  }
};

}  // namespace macareu::operators

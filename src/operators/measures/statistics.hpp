#pragma once

#include <array>
#include <limits>
#include <string>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/measures/moments.hpp"
#include "patterns/images.hpp"
#include "patterns/summary.hpp"

namespace macareu::operators {

struct statistics {
  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array<output_description, 0> outputs{};
  static constexpr std::array<parameter_description, 0> parameters{};
  static constexpr operator_description about{
      .name = "statistics",
      .verb = "statistics",
      .group = "measures",
      .pattern = "reduce",
      .brief = "Smallest and largest value with their first places, sum, mean and variance.",
      .notes =
          "The bits are the same on every device and with any number of threads. Sums of integers are "
          "exact; one that does not fit 64 bits is the nearest f64. Floats are added in units of a power of "
          "two, as integers of 128 bits. With N pixels of at most m in magnitude the sum is off by less "
          "than m N^2 / 2^126 before it is rounded to f64. The variance is divided by N; of floats and "
          "64-bit integers it is summed about the mean in f64.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .table =
          "one row: pixels, minimum, minimum_z (of volumes), minimum_y, minimum_x, the same of maximum, sum, mean, variance",
      .formula = "sum = sum of f(p), mean = sum / N, variance = sum of (f(p) - mean)^2 / N",
      .peers = {.scipy = "ndimage.extrema, ndimage.mean, ndimage.variance",
                .itk = "StatisticsImageFilter",
                .opencv = "minMaxLoc, meanStdDev",
                .diplib = "SampleStatistics"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
    const auto image = input<T>(engine, call, 0);
    const auto found = engine.reduce(summary_of<T>{image.whole()}, image);
    auto& to = *call.result;
    add(to, "pixels", image.whole().pixels());
    add_extreme(to, call, "minimum", from_key<T>(found.lowest), found.lowest_at);
    add_extreme(to, call, "maximum", from_key<T>(found.highest), found.highest_at);
    const double low = static_cast<double>(from_key<T>(found.lowest));
    const double high = static_cast<double>(from_key<T>(found.highest));
    const auto count = static_cast<double>(image.whole().pixels());
    if constexpr (std::is_integral_v<T>) {
      const double sum = static_cast<double>(found.sum), mean = sum / count;
      add_sum(to, found.sum);
      add(to, "mean", mean);
      if constexpr (has_squares<T>)
        add(to, "variance", variance_from(found.sum, found.squares, image.whole().pixels()));
      else
        add(to, "variance", variance_about(engine, image, mean, low, high));
    } else {
      const bool finite = std::isfinite(low) && std::isfinite(high);
      const double sum = finite ? exact_sum(engine, image, low, high) : low + high;
      add(to, "sum", sum);
      add(to, "mean", sum / count);
      add(to, "variance",
          finite ? variance_about(engine, image, sum / count, low, high)
                 : std::numeric_limits<double>::quiet_NaN());
    }
  }

 private:
  template <class V>
  static void add(table& to, std::string name, V value) {
    using kept = std::conditional_t<std::is_floating_point_v<V>, double,
                                    std::conditional_t<std::is_signed_v<V>, std::int64_t, std::uint64_t>>;
    to.columns.push_back({std::move(name), std::vector<kept>{static_cast<kept>(value)}});
  }

  template <class T>
  static void add_extreme(table& to, const call& call, const std::string& name, T value, std::int64_t at) {
    const auto& shape = call.inputs[0].shape();
    add(to, name, value);
    if (shape.rank() == 3) add(to, name + "_z", at / shape.width() / shape.height());
    add(to, name + "_y", at / shape.width() % shape.height());
    add(to, name + "_x", at % shape.width());
  }

  static void add_sum(table& to, int128 sum) {
    if (sum == static_cast<int128>(static_cast<std::int64_t>(sum)))
      add(to, "sum", static_cast<std::int64_t>(sum));
    else if (sum == static_cast<int128>(static_cast<std::uint64_t>(sum)))
      add(to, "sum", static_cast<std::uint64_t>(sum));
    else
      add(to, "sum", static_cast<double>(sum));
  }
};

}  // namespace macareu::operators

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/wrong_value.hpp"
#include "operators/measures/bins.hpp"
#include "patterns/images.hpp"
#include "patterns/summary.hpp"

namespace macareu::operators {

struct histogram {
  static std::int64_t number_of_bins(const call& call) {
    constexpr std::int64_t most = 1 << 24;
    const auto& bins = call.quantity("bins");
    const double asked = bins.to_double();
    if (asked != std::floor(asked) || asked > most)
      throw wrong_value("histogram", "bins", "a whole number from 1 to " + std::to_string(most),
                        to_string(bins));
    return static_cast<std::int64_t>(asked);
  }

  static void check_bins(const call& call) { number_of_bins(call); }

  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array<output_description, 0> outputs{};
  static constexpr std::array parameters{
      parameter_description{"bins", parameter_kind::number, "256", "number of bins"},
      parameter_description{
          "low",
          parameter_kind::number,
          "auto",
          "where the first bin begins; auto: 0, or -128, for pixels of 8 bits, else the smallest value",
          {},
          any_number},
      parameter_description{
          "high",
          parameter_kind::number,
          "auto",
          "where the last bin ends; auto: 256, or 128, for pixels of 8 bits, else the largest value",
          {},
          any_number}};
  static constexpr operator_description about{
      .name = "histogram",
      .verb = "histogram",
      .group = "measures",
      .pattern = "histogram",
      .brief = "How many pixels have values in each of a number of equal bins.",
      .notes =
          "It is NumPy's histogram, computed in f64. Values outside low and high are not counted. Where low "
          "and high are equal, they are moved apart by one half each way, or as far as f64 tells them "
          "apart.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .table = "one row for each bin: from, to, count",
      .is_histogram = true,
      .check = &check_bins,
      .formula =
          "count(i) = |{p : low + i w <= f(p) < low + (i + 1) w}|, w = (high - low) / bins; the last "
          "bin contains high",
      .peers = {.skimage = "exposure.histogram",
                .scipy = "ndimage.histogram",
                .itk = "ImageToHistogramFilter",
                .matlab = "imhist",
                .opencv = "calcHist",
                .diplib = "Histogram"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    const auto bins = number_of_bins(call);
    const auto [low, high] = range_of<T>(engine, call, image);
    const equal_bins rule(low, high, bins);
    if (!(low + rule.width > low && high - rule.width < high))
      throw wrong_value(
          "histogram", "bins",
          "at most one for each f64 value from " + to_string(number(low)) + " to " + to_string(number(high)),
          std::to_string(bins));
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(bins));
    if (!count_values<T>(engine, image, rule, counts)) engine.histogram(rule, counts, image);
    std::vector<double> from, to;
    for (std::int64_t i = 0; i < bins; ++i) {
      from.push_back(rule.edge(i));
      to.push_back(rule.edge(i + 1));
    }
    call.result->columns = {{"from", std::move(from)}, {"to", std::move(to)}, {"count", std::move(counts)}};
  }

 private:
  struct range {
    double low, high;
  };

  template <class T, class Engine>
  static range range_of(Engine& engine, const call& call, image_in<Engine, const T> image) {
    const bool find_low = call.is_automatic("low"), find_high = call.is_automatic("high");
    range found{call.quantity("low").to_double(), call.quantity("high").to_double()};
    if (sizeof(T) == 1) {
      if (find_low) found.low = std::numeric_limits<T>::lowest();
      if (find_high) found.high = std::numeric_limits<T>::max() + 1.0;
    } else if (find_low || find_high) {
      refuse_nan<T>(engine, call, 0);
      const auto extremes = engine.reduce(summary_of<T>{image.whole()}, image);
      if (find_low) found.low = static_cast<double>(from_key<T>(extremes.lowest));
      if (find_high) found.high = static_cast<double>(from_key<T>(extremes.highest));
    }
    if (found.low == found.high) {
      const double apart = std::max(0.5, std::abs(found.low) * std::numeric_limits<double>::epsilon());
      found = {found.low - apart, found.high + apart};
    }
    if (!(found.low < found.high && std::isfinite(found.high - found.low)))
      throw call_error({.kind = fault::conflict,
                        .operation = "histogram",
                        .parts = {parameter_named("low"), " and ", parameter_named("high"),
                                  ": expected finite numbers, the first below the second, got " +
                                      to_string(number(found.low)) + " and " + to_string(number(found.high))},
                        .given = to_string(number(found.low)) + " and " + to_string(number(found.high)),
                        .allowed = "finite numbers, the first below the second"});
    return found;
  }

  /// If every bin is one value of a small integer type, counting needs no arithmetic.
  template <class T, class Engine>
  static bool count_values(Engine& engine, image_in<Engine, const T> image, const equal_bins& rule,
                           std::span<std::uint64_t> counts) {
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
      if (rule.width != 1 || rule.low != std::floor(rule.low) ||
          rule.low < std::numeric_limits<T>::lowest() || rule.high <= std::numeric_limits<T>::max() ||
          rule.low > std::numeric_limits<T>::max())
        return false;
      engine.histogram(value_bins<T>{static_cast<T>(rule.low)}, counts, image);
      return true;
    }
    return false;
  }
};

}  // namespace macareu::operators

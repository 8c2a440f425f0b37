// Otsu's threshold: the division of a histogram in two with the largest variance between both parts.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/call.hpp"
#include "operators/measures/bins.hpp"
#include "patterns/images.hpp"
#include "patterns/summary.hpp"

namespace macareu {

/// The last bin of the lower part; the first such bin on ties. The first and the last bin must not be empty,
/// and bin i stands for the value i.
inline std::size_t otsu_bin(std::span<const std::uint64_t> counts) {
  double below = 0, below_sum = 0, all = 0, all_sum = 0, best = -1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all += static_cast<double>(counts[i]);
    all_sum += static_cast<double>(counts[i]) * static_cast<double>(i);
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
    below += static_cast<double>(counts[i]);
    below_sum += static_cast<double>(counts[i]) * static_cast<double>(i);
    const double above = all - below;
    const double apart = below_sum / below - (all_sum - below_sum) / above;
    const double variance = below * above * (apart * apart);
    if (variance <= best) continue;
    best = variance;
    found = i;
  }
  return found;
}

/// A pixel above it is in the upper part. Integers of small range have a bin for every value. Other images
/// have 256 bins between the smallest and the largest value, and the threshold is the middle of one.
template <class T, class Engine>
number otsu_threshold(Engine& engine, const image_in<Engine, const T>& image) {
  const auto range = engine.reduce(summary_of<T>{image.whole()}, image);
  const T low = from_key<T>(range.lowest), high = from_key<T>(range.highest);
  constexpr std::size_t few = 256, most = 65536;
  if (low == high) return low;
  const auto counted = [&](const auto& rule, std::size_t bins) {
    std::vector<std::uint64_t> counts(bins);
    engine.histogram(rule, counts, image);
    return otsu_bin(counts);
  };
  if constexpr (std::is_integral_v<T>)
    if (std::cmp_less(range.highest - range.lowest, most))
      return static_cast<T>(low +
                            static_cast<T>(counted(value_bins<T>{low}, range.highest - range.lowest + 1u)));
  if (!std::isfinite(static_cast<double>(high) - static_cast<double>(low)))
    throw call_error({.kind = fault::pixels,
                      .operation = "threshold",
                      .parts = {"the range of the image is not finite: give a ", parameter_named("value"),
                                " instead of auto"}});
  const equal_bins rule(static_cast<double>(low), static_cast<double>(high), few);
  const auto bin = static_cast<std::int64_t>(counted(rule, few));
  return (rule.edge(bin) + rule.edge(bin + 1)) / 2;
}

}  // namespace macareu

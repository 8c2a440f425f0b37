// Assigns values to the bins of a histogram.
#pragma once

#include <cstdint>

#include "patterns/histogram.hpp"

namespace macareu {

/// Bins of one width from low to high, with edges low + i * width. A value is in bin i if edge(i) <= value <
/// edge(i + 1); the last bin includes high. It is NumPy's histogram in f64.
struct equal_bins {
  static constexpr bool counts = true;
  double low, high;
  std::int64_t count;
  double width;

  /// The range must be exact in f64.
  equal_bins(double from, double to, std::int64_t bins)
      : low(from), high(to), count(bins), width((to - from) / static_cast<double>(bins)) {}

  MACAREU_HD double edge(std::int64_t i) const {
    return i == count ? high : low + static_cast<double>(i) * width;
  }

  template <class Sink, class T>
  MACAREU_HD void operator()(site, const Sink& sink, T pixel) const {
    const double value = static_cast<double>(pixel);
    if (!(value >= low && value <= high)) return;
    // An estimate, corrected by the edges.
    std::int64_t bin = static_cast<std::int64_t>((value - low) / (high - low) * static_cast<double>(count));
    if (bin >= count) bin = count - 1;
    if (value < edge(bin))
      --bin;
    else if (bin + 1 < count && value >= edge(bin + 1))
      ++bin;
    sink.add(bin);
  }
};

}  // namespace macareu

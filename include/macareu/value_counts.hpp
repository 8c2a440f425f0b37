// Numbers of a whole image from the counts of its values: percentiles, Otsu's threshold, means.
#pragma once

#include <cstdint>
#include <vector>

namespace macareu {

/// counts[v]: how many pixels have the value v.
using value_counts = std::vector<std::uint64_t>;

/// NumPy's: between two values, linearly.
double percentile(const value_counts& counts, double percent);

/// scikit-image's threshold_otsu of floats: 256 bins from the lowest to the highest value. Values above
/// `highest` count as it.
double otsu_threshold(const value_counts& counts, double highest);

/// Means of values up to a threshold and above it; the threshold where there is none.
struct class_means {
  double lower, upper;
};
class_means means_beside(const value_counts& counts, double threshold);

}  // namespace macareu

// Joins touching regions of a label image, best first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/call.hpp"
#include "core/host_threads.hpp"
#include "operators/objects/labels/label_rows.hpp"
#include "operators/objects/labels/pair_map.hpp"
#include "patterns/host_rows.hpp"
#include "patterns/tally.hpp"

namespace macareu {

/// Sums over the pixels of a region: exact, except those of densities, which are f64 in raster order.
struct region_sums {
  std::uint64_t label = 0, pixels = 0;
  signed_wide_sum x = 0, y = 0, z = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0, zz = 0;
  double density = 0;

  void add(const region_sums& other);
};

/// Edges, or faces of voxels, between two regions: their number, and the sum of the lower density beside
/// each.
struct region_border {
  std::uint64_t edges = 0;
  double density = 0;
};

/// Gathers regions and borders from labels, input 0, and densities, input 1. Bands are added from the first
/// to the last. Throws usage_error for NaN.
class region_gathering {
 public:
  explicit region_gathering(const call& of, const host_threads& threads = {})
      : call_(of), threads_(threads) {}

  void add(const row_band& band);
  /// In the order of labels.
  std::vector<region_sums> regions() const;
  /// Of pairs of labels, the smaller first.
  const pair_map<region_border>& borders() const { return borders_; }

 private:
  template <class Label>
  void add_band(const row_band& band);
  template <class Label>
  void add_rows(const row_band& band, std::int64_t first_row, std::int64_t last_row);
  template <class Label>
  void see_above(const row_band& band, std::int64_t row);
  void join(const region_gathering& later);
  void add_run(site row, const label_run& run, const double* values);
  /// Between the current row and the one above it, or that in the slice before.
  void add_borders(const std::vector<label_run>& beside, const std::vector<double>& values_beside,
                   const double* values);

  const call& call_;
  host_threads threads_;
  pair_map<region_sums> regions_;  // of (label, 0)
  pair_map<region_border> borders_;
  std::vector<label_run> above_, here_;
  std::vector<double> values_above_;
  // Rows of the slice before, which those of the current one replace.
  std::vector<std::vector<label_run>> slice_before_;
  std::vector<std::vector<double>> values_before_;
};

struct merge_limits {
  double max_area, small_area, small_weight, border_weight;
};

struct merged_label {
  std::uint64_t label, becomes;
};

/// The labels that change, and what they become: the smallest label of their union. `rank` is 2 or 3.
std::vector<merged_label> merged_labels(const std::vector<region_sums>& regions,
                                        const pair_map<region_border>& borders, const merge_limits& limits,
                                        int rank);

}  // namespace macareu

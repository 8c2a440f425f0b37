// Counts of pixels by pairs of labels in two images, and the scores that follow from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <macareu/table.hpp>

#include "core/host_threads.hpp"
#include "operators/objects/labels/pair_map.hpp"
#include "patterns/host_rows.hpp"

namespace macareu {

/// Pixels by pairs (true label, found label), 0 outside. Counts are integers, so the order of bands and
/// threads does not matter.
class overlap_counts {
 public:
  explicit overlap_counts(const host_threads& threads) : threads_(threads) {}

  /// The two images of a band.
  void add(const row_band& band);
  const pair_map<std::uint64_t>& pixels() const { return pixels_; }

 private:
  host_threads threads_;
  pair_map<std::uint64_t> pixels_;
};

/// One row for each threshold of the intersection over union.
table scores_of(const pair_map<std::uint64_t>& pixels, std::span<const double> thresholds);

}  // namespace macareu

// The first pass of contours: the rows of every label, and the runs of all rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/function_ref.hpp"
#include "core/host_threads.hpp"
#include "operators/objects/labels/pair_map.hpp"
#include "patterns/host_rows.hpp"

namespace macareu {

/// The rows that a label reaches.
struct label_extent {
  std::uint32_t first_row = ~std::uint32_t{0}, last_row = 0;
  void join(const label_extent& other) {
    first_row = std::min(first_row, other.first_row);
    last_row = std::max(last_row, other.last_row);
  }
};
/// Of pairs (label, 0).
using label_extents = pair_map<label_extent>;

/// Pixels of a label, side by side in a row.
struct row_run {
  std::uint32_t first, end;
  std::uint64_t label;
};

/// The runs of all rows, if they take at most `most` bytes. Otherwise they are dropped, and the image is read
/// again.
struct kept_runs {
  kept_runs(std::int64_t height, std::int64_t most) : rows(static_cast<std::size_t>(height)), left(most) {}
  bool complete() const { return left.load(std::memory_order_relaxed) >= 0; }

  std::vector<std::vector<row_run>> rows;
  std::atomic<std::int64_t> left;
};

/// Adds the rows of a band to the extents of labels, and keeps their runs.
void add_extents(const row_band& band, label_extents& to, kept_runs& runs, const host_threads& threads);

/// visit(runs of a row) for the rows of a band, in their order. Threads find the runs.
void over_rows_of_runs(const row_band& band, const host_threads& threads,
                       function_ref<void(const std::vector<row_run>&)> visit);

}  // namespace macareu

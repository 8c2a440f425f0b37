// Contours by several sweeps at once. A band of rows has the labels that end in it, so a sweep over a band
// begins where the first of them begins, and other labels are outside. The outline of a label depends on no
// other label.
#pragma once

#include <cstdint>
#include <vector>

#include <macareu/shapes.hpp>

#include "core/call.hpp"
#include "core/function_ref.hpp"
#include "core/host_threads.hpp"
#include "operators/objects/outlines/label_extents.hpp"

namespace macareu {

/// Rows first .. end - 1, in which its labels end; they begin at `top` or below it.
struct contour_band {
  std::uint32_t first = 0, end = 0, top = 0;
  struct label {
    std::uint64_t number;
    label_extent rows;
  };
  std::vector<label> labels = {};
};

/// Several bands for each thread. Their sweeps see a row at most twice on average.
std::vector<contour_band> cut_into_bands(const label_extents& labels, std::uint32_t height,
                                         const host_threads& threads);

/// take(shape) on the calling thread, in the raster order of last pixels.
void trace_bands(const std::vector<contour_band>& bands, const kept_runs& runs, const host_threads& threads,
                 const job& work, function_ref<void(shape&&)> take);

}  // namespace macareu

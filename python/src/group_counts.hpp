// Histograms of the objects of an image, in the arithmetic of numpy.histogram.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::python {

/// `of`: the row of every label from 0 on, -1 where it has none, like all other labels.
struct label_rows {
  std::span<const std::int32_t> of;
  std::int64_t count;
};

struct group_counts {
  std::vector<std::int64_t> pixels;  // of every row: those with its labels
  std::vector<std::int64_t> bins;    // row by row: those from an edge up to the next, the last with its end
};

/// Labels are integers. Edges rise, and have equal distances but for rounding. Throws `interrupted` when stop
/// is set.
group_counts count_groups(const const_image_view& image, const const_image_view& labels,
                          const label_rows& rows, std::span<const double> edges, std::stop_token stop = {});

}  // namespace macareu::python

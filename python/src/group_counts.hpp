// Histograms of the objects of an image, with the arithmetic of numpy.histogram.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::python {

/// `of`: the row of every label from 0 on; -1, as for all larger labels, if it has none.
struct label_rows {
  std::span<const std::int32_t> of;
  std::int64_t count;
};

struct group_counts {
  std::vector<std::int64_t> pixels;  // number of pixels of every row
  std::vector<std::int64_t> bins;    // row by row; a bin excludes its upper edge, except the last
};

/// Labels are integers. Edges increase, and are equidistant up to rounding. Throws `interrupted` when stop is
/// set.
group_counts count_groups(const const_image_view& image, const const_image_view& labels,
                          const label_rows& rows, std::span<const double> edges, std::stop_token stop = {});

}  // namespace macareu::python

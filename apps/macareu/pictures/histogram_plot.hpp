// A histogram as a picture.
#pragma once

#include <macareu/image.hpp>
#include <macareu/table.hpp>

namespace macareu::tool {

/// Plots the columns from, to and count, and channel if there are several: bars, or one line per channel. The
/// ends of the axis are labelled, and the largest count is at the top. 3 channels of u8.
image histogram_plot(const table& data);

}  // namespace macareu::tool

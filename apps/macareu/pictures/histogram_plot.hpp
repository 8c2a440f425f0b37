// A histogram as a picture.
#pragma once

#include <macareu/image.hpp>
#include <macareu/table.hpp>

namespace macareu::tool {

/// Of columns from, to and count, and channel where there are several: bars, or a line for each channel, over
/// an axis whose ends are labelled; the largest count is at the top. 3 channels of u8.
image histogram_plot(const table& data);

}  // namespace macareu::tool

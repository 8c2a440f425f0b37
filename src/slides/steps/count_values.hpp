// Counts of an image's values.
#pragma once

#include <vector>

#include <macareu/image.hpp>
#include <macareu/value_counts.hpp>

namespace macareu::slides {

/// Adds how many pixels of a packed image have each value, by channels. For u8 and u16.
template <class T>
void count_values(const const_image_view& pixels, std::vector<value_counts>& to);

}  // namespace macareu::slides

// The largest image that a GPU labels as a whole.
#pragma once

#include <cstdint>

#include "core/ceil_div.hpp"

namespace macareu::cuda::labels {

/// Whether 32-bit ids suffice for all first pixels: 2^26 words of 64 pixels.
constexpr bool fits_ids(std::int64_t depth, std::int64_t height, std::int64_t width) {
  return depth * height * ceil_div(width, 64) <= std::int64_t{1} << 26;
}

}  // namespace macareu::cuda::labels

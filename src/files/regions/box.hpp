// Copies between boxes of values with different strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace macareu::files {

/// An axis of two boxes, with the distance of neighbours in each, in bytes.
struct box_axis {
  std::int64_t count, from_step, to_step;
};

/// Copies values of `bytes` bytes. Axes are outermost first.
void copy_box(std::span<const box_axis> axes, std::size_t bytes, const std::byte* from, std::byte* to);

}  // namespace macareu::files

// The parts of a region that are contiguous in a file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <macareu/sources.hpp>

#include "files/pixel_data.hpp"

namespace macareu::files {

/// `count` items, contiguous in the file and `step` bytes apart in memory.
struct run {
  std::uint64_t file_offset;
  std::size_t memory_offset;
  std::size_t count, item_bytes, step;
};

/// An axis of a file and what a region takes of it. `step` is the distance of neighbours in memory, in bytes.
struct file_axis {
  std::int64_t size, first, count;
  std::size_t step;
};

/// The axes of a file, outermost first, for a region in C order with interleaved channels in memory.
inline std::array<file_axis, 4> axes_of(const pixel_layout& layout, const image_region& region) {
  const auto value = size_of(layout.type);
  const auto pixel = value * static_cast<std::size_t>(layout.channels);
  const auto row = pixel * static_cast<std::size_t>(region.size[2]);
  const auto slice = row * static_cast<std::size_t>(region.size[1]);
  const auto& shape = layout.shape;
  const file_axis z{shape.depth(), region.first[0], region.size[0], slice},
      y{shape.height(), region.first[1], region.size[1], row},
      x{shape.width(), region.first[2], region.size[2], pixel}, c{layout.channels, 0, layout.channels, value};
  if (layout.axes == arrangement::planes) return {c, z, y, x};
  if (layout.axes == arrangement::columns) return {c, x, y, z};
  return {z, y, x, c};
}

/// Calls `visit` for runs as long as possible, in the order of the file.
template <class Visit>
void for_each_run(const std::array<file_axis, 4>& axes, std::size_t value_bytes, std::uint64_t offset,
                  Visit visit) {
  std::array<std::uint64_t, 4> file_step;
  std::uint64_t step = value_bytes;
  for (std::size_t i = 4; i-- > 0; step *= static_cast<std::uint64_t>(axes[i].size)) {
    if (axes[i].count == 0) return;
    file_step[i] = step;
    offset += static_cast<std::uint64_t>(axes[i].first) * step;
  }
  run part{.file_offset = offset, .memory_offset = 0, .count = 1, .item_bytes = value_bytes, .step = 0};
  std::size_t outer = 4;
  bool whole = true;
  for (; outer > 0 && whole; --outer) {
    const auto& axis = axes[outer - 1];
    if (axis.count > 1 && axis.step != part.item_bytes) break;
    part.item_bytes *= static_cast<std::size_t>(axis.count);
    whole = axis.count == axis.size;
  }
  if (whole && outer > 0) {
    --outer;
    part.count = static_cast<std::size_t>(axes[outer].count);
    part.step = axes[outer].step;
  }
  const auto visit_axis = [&](const auto& self, std::size_t i, run at) -> void {
    if (i == outer) return visit(at);
    for (std::int64_t k = 0; k < axes[i].count; ++k) {
      self(self, i + 1, at);
      at.file_offset += file_step[i];
      at.memory_offset += axes[i].step;
    }
  };
  visit_axis(visit_axis, 0, part);
}

}  // namespace macareu::files

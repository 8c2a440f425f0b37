// The chunks of a Zarr array that a region touches.
#pragma once

#include <algorithm>
#include <vector>

#include "box.hpp"
#include "zarr_metadata.hpp"

namespace macareu::files {

/// A chunk and its part of a region.
struct chunk_part {
  const std::vector<std::int64_t>& index;
  /// Axes of the array: from_step is in the chunk, to_step in the region's memory.
  std::vector<box_axis> axes;
  /// Where the part starts in the chunk and in the region's memory, in bytes.
  std::int64_t chunk_offset, memory_offset;
};

/// Calls `visit` for each chunk that the region touches, in C order.
template <class Visit>
void for_each_chunk(const zarr_image& image, const image_region& region, Visit visit) {
  const auto& array = image.array;
  const auto rank = array.shape.size();
  const auto value = static_cast<std::int64_t>(size_of(array.type));
  std::vector<std::int64_t> first(rank, 0), count(rank, 1), step(rank, 0);
  auto memory_step = value * image.form.channels;
  for (const std::size_t role : {2, 1, 0}) {
    if (image.axes[role] >= 0) {
      const auto axis = static_cast<std::size_t>(image.axes[role]);
      first[axis] = region.first[role];
      count[axis] = region.size[role];
      step[axis] = memory_step;
    }
    memory_step *= region.size[role];
  }
  if (image.axes[3] >= 0) {
    count[static_cast<std::size_t>(image.axes[3])] = image.form.channels;
    step[static_cast<std::size_t>(image.axes[3])] = value;
  }
  if (region.pixels() == 0) return;

  std::vector<std::int64_t> index(rank);
  for (std::size_t i = 0; i < rank; ++i) index[i] = first[i] / array.chunks[i];
  for (;;) {
    chunk_part part{
        .index = index, .axes = std::vector<box_axis>(rank), .chunk_offset = 0, .memory_offset = 0};
    auto chunk_step = value;
    for (std::size_t i = rank; i-- > 0; chunk_step *= array.chunks[i]) {
      const auto begin = std::max(first[i], index[i] * array.chunks[i]);
      const auto end = std::min(first[i] + count[i], (index[i] + 1) * array.chunks[i]);
      part.axes[i] = {end - begin, chunk_step, step[i]};
      part.chunk_offset += (begin - index[i] * array.chunks[i]) * chunk_step;
      part.memory_offset += (begin - first[i]) * step[i];
    }
    visit(part);
    auto i = rank;
    for (; i > 0; --i) {
      if ((++index[i - 1]) * array.chunks[i - 1] < first[i - 1] + count[i - 1]) break;
      index[i - 1] = first[i - 1] / array.chunks[i - 1];
    }
    if (i == 0) return;
  }
}

/// Slices, rows and columns of a chunk.
inline std::array<std::int64_t, 3> chunk_of(const zarr_image& image) {
  std::array<std::int64_t, 3> size{};
  for (std::size_t role = 0; role < 3; ++role)
    size[role] = image.axes[role] < 0 ? 1 : image.array.chunks[static_cast<std::size_t>(image.axes[role])];
  return size;
}

}  // namespace macareu::files

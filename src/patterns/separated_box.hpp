// Boxes are separable: extremes of a box are those of its slices, then those along its depth.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "patterns/extremes.hpp"

namespace macareu {

struct separated_box {
  std::vector<chord> within_slices, across_slices;
};

/// Of a footprint that is a box of several slices, each with more than one pixel; else nothing.
inline std::optional<separated_box> separated(std::span<const chord> footprint) {
  const auto &first = footprint.front(), &last = footprint.back();
  const std::int64_t lines = last.dy - first.dy + 1, slices = last.dz - first.dz + 1;
  const auto count = std::ssize(footprint);
  if (slices == 1 || lines * slices != count || (lines == 1 && first.first == first.last))
    return std::nullopt;
  for (std::int64_t i = 0; i < count; ++i)
    if (footprint[static_cast<std::size_t>(i)] != chord{first.dz + static_cast<int>(i / lines),
                                                        first.dy + static_cast<int>(i % lines), first.first,
                                                        first.last})
      return std::nullopt;
  separated_box box;
  for (int dy = first.dy; dy <= last.dy; ++dy) box.within_slices.push_back({0, dy, first.first, first.last});
  for (int dz = first.dz; dz <= last.dz; ++dz) box.across_slices.push_back({dz, 0, 0, 0});
  return box;
}

}  // namespace macareu

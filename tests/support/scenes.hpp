// Random markers and masks as levels 0, 1, 2, ...: a palette turns them into pixels of any type, in either
// direction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <macareu/image.hpp>

#include "support/dice.hpp"
#include "support/mazes.hpp"

namespace macareu::test {

using level = std::uint16_t;

struct scene {
  extents shape;
  int levels = 2;
  std::vector<level> mask, marker;  ///< the marker is nowhere above the mask
};

/// Sides 1 .. longest; also 1 x N, N x 1, 1 x 1 x N, and rarely a side of 0. Volumes stay near the number of
/// pixels of images: mostly three short sides, or one long one.
inline extents draw_shape(dice& from, int rank, std::int64_t longest) {
  std::int64_t side[3];
  const auto volume_side = from.once_in(64) ? longest : std::max<std::int64_t>(longest * 3 / 8, 1);
  for (auto& size : side) size = from.between(1, rank == 3 ? volume_side : longest);
  if (rank == 3 && from.once_in(3)) {
    for (auto& size : side) size = from.between(1, std::max<std::int64_t>(longest / 4, 1));
    side[from.below(3)] = from.between(1, longest);
  }
  if (from.once_in(12)) side[from.below(rank)] = 1;
  if (from.once_in(24)) side[from.below(rank)] = 1;
  if (from.once_in(400)) side[from.below(rank)] = 0;
  return rank == 3 ? extents{side[0], side[1], side[2]} : extents{side[0], side[1]};
}

namespace detail {

inline void draw_mask(dice& from, scene& s) {
  const auto depth = s.shape.depth(), height = s.shape.height(), width = s.shape.width();
  const level top = static_cast<level>(s.levels - 1);
  const auto any = [&] { return static_cast<level>(from.below(s.levels)); };
  const auto each = [&](auto value_at) {
    std::size_t i = 0;
    for (std::int64_t z = 0; z < depth; ++z)
      for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) s.mask[i++] = value_at(z, y, x);
  };
  const auto noise = [&](auto...) { return any(); };
  switch (from.below(16)) {
    case 0:
      return each([value = any()](auto...) { return value; });
    case 1:
      return each([&](auto z, auto y, auto x) { return (z + y + x) % 2 == 0 ? top : level{0}; });
    case 2:
      return each([&](auto...) { return from.once_in(8) ? any() : level{0}; });
    case 3:
      return each([&](auto...) { return from.once_in(8) ? any() : top; });
    case 4:  // percolation near its threshold
      return each([&](auto...) { return from.below(100) < 59 ? top : level{0}; });
    case 5:
    case 6: {  // plateaus
      const auto side = from.between(2, 5);
      std::vector<level> coarse(
          static_cast<std::size_t>((depth / side + 1) * (height / side + 1) * (width / side + 1)));
      for (auto& value : coarse) value = any();
      return each([&](auto z, auto y, auto x) {
        return coarse[static_cast<std::size_t>(
            ((z / side) * (height / side + 1) + y / side) * (width / side + 1) + x / side)];
      });
    }
    case 7: {  // stairs along an axis, up or down
      const auto axis = from.below(3), size = (axis == 0 ? depth : axis == 1 ? height : width);
      const bool down = from.once_in(2);
      return each([&](auto z, auto y, auto x) {
        const auto at = axis == 0 ? z : axis == 1 ? y : x;
        const auto stair = static_cast<level>(at * s.levels / std::max<std::int64_t>(size, 1));
        return down ? static_cast<level>(top - stair) : stair;
      });
    }
    case 8:
    case 9: {  // corridors: bright, with some darker doors
      const auto path = from.once_in(2) ? serpentine(s.shape) : spiral(s.shape);
      std::size_t i = 0;
      return each([&](auto...) {
        if (path[i++] < 0) return from.once_in(200) ? any() : level{0};
        return from.once_in(30) ? any() : top;
      });
    }
    default:
      return each(noise);
  }
}

inline void draw_marker(dice& from, scene& s) {
  const auto pixels = s.mask.size();
  const auto some = [&](level value) {
    return std::min(value, s.mask[static_cast<std::size_t>(from.below(static_cast<std::int64_t>(pixels)))]);
  };
  switch (from.below(8)) {
    case 0:  // lowered by a number of levels
    case 1: {
      const auto by = from.between(0, s.levels - 1);
      for (std::size_t i = 0; i < pixels; ++i)
        s.marker[i] = static_cast<level>(std::max<std::int64_t>(s.mask[i] - by, 0));
      return;
    }
    case 2:
    case 3: {  // a few bright pixels
      std::ranges::fill(s.marker, level{0});
      for (auto n = from.between(1, 4); n > 0 && pixels > 0; --n) {
        const auto i = static_cast<std::size_t>(from.below(static_cast<std::int64_t>(pixels)));
        s.marker[i] = s.mask[i];
      }
      return;
    }
    case 4: {  // rising steps in raster order: every wave is overtaken by the next
      for (std::size_t i = 0; i < pixels; ++i)
        s.marker[i] =
            std::min(s.mask[i], static_cast<level>(i * static_cast<std::size_t>(s.levels) / pixels));
      return;
    }
    case 5: {  // all the same
      const level value = pixels > 0 ? some(static_cast<level>(s.levels - 1)) : level{0};
      for (std::size_t i = 0; i < pixels; ++i) s.marker[i] = std::min(value, s.mask[i]);
      return;
    }
    default:
      for (std::size_t i = 0; i < pixels; ++i)
        s.marker[i] = std::min(s.mask[i], static_cast<level>(from.below(s.levels)));
  }
}

}  // namespace detail

/// A scene of the given shape. Its buffers are reused.
inline void draw_scene(dice& from, const extents& shape, scene& s) {
  s.shape = shape;
  s.levels = static_cast<int>(from.once_in(16) ? 256 : from.between(2, from.once_in(4) ? 24 : 6));
  s.mask.resize(static_cast<std::size_t>(shape.pixels()));
  s.marker.resize(s.mask.size());
  detail::draw_mask(from, s);
  detail::draw_marker(from, s);
}

/// The levels as pixels: level i is palette[i], or, for waves that sink, counted from the end.
template <class T>
void paint(const std::vector<level>& levels, const std::vector<T>& palette, bool downwards, T* pixels) {
  const auto last = palette.size() - 1;
  for (std::size_t i = 0; i < levels.size(); ++i)
    pixels[i] = palette[downwards ? last - levels[i] : levels[i]];
}

}  // namespace macareu::test

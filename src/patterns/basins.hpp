// basins: the labels of a seeded watershed, from the height L of the lowest pass between every pixel and a
// seed.
//
// Neighbours of equal L are linked. An entry is a seed, or a pixel with a neighbour of lower L. d counts the
// steps along links from the nearest entry. The parent of a pixel that is no seed is the neighbour with the
// least (L, d): of equals, a face neighbour before one across an edge before one across a corner, then the
// first in raster order. A parent's (L, d) is less than that of its pixel, so parents have no cycle. The
// label is that of the seed at the end of the parents, and 0 where there is none.
//
// L enters as keys (core/key.hpp), so that code is compiled for each width. Seeds are labels, 0 where there
// is none, and `outside` beyond the mask: such pixels link to nothing and have the label 0. Where no seed
// reaches, and outside, L is the highest key.
#pragma once

#include <array>
#include <cstdint>

#include "core/neighbourhood.hpp"
#include "patterns/images.hpp"

namespace macareu {

namespace basin {
inline constexpr std::uint32_t outside = 0xffffffff;  // of seeds
inline constexpr std::uint32_t never = 0xffffffff;    // of d
}  // namespace basin

/// Neighbours in the order in which ties are resolved.
struct tie_order {
  struct step {
    int dz, dy, dx;
  };
  std::array<step, 26> steps{};
  int count = 0;

  explicit tie_order(const neighbourhood& near) {
    for (int axes = 1; axes <= 3; ++axes)
      for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if (dz * dz + dy * dy + dx * dx == axes && near.contains(dz, dy, dx))
              steps[static_cast<std::size_t>(count++)] = {dz, dy, dx};
  }
  auto begin() const { return steps.begin(); }
  auto end() const { return steps.begin() + count; }
};

template <class Engine, class Key>
concept finds_basins = requires(Engine& engine, const neighbourhood& near,
                                const image_in<Engine, std::uint32_t>& labels,
                                const image_in<Engine, const Key>& passes,
                                const image_in<Engine, const std::uint32_t>& seeds) {
  engine.basins(near, labels, passes, seeds);
};

}  // namespace macareu

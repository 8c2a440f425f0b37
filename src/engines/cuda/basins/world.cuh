// What the kernels of a watershed by tiles share. A tile has 64 x 64 pixels, and a row of it is one word: the
// first column is the lowest bit. Pixels of the last tiles that lie beyond the image are outside the mask.
//
//   links    for each tile: neighbours of equal L, entries, seeds             tile_links.cuh
//   visit    d on the rims of all tiles, by a worklist                        tile_steps.cuh
//   settle   d of all pixels as bit planes, from the final rims               tile_steps.cuh
//   parents  paths inside tiles; what leaves a tile points to a rim pixel     tile_parents.cuh
//   rims     paths from rim pixel to rim pixel, then the labels they lead to  tile_parents.cuh
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/macros.hpp"

namespace macareu::cuda::tile_basins {

using word = unsigned long long;
inline constexpr int side = 64;
inline constexpr unsigned all_lanes = ~0u;
inline constexpr std::uint32_t never = ~0u;

/// Neighbours in the order of ties, and the entries.
enum plane {
  north,
  west,
  east,
  south,
  north_west,
  north_east,
  south_west,
  south_east,
  entries,
  planes_per_tile
};
inline constexpr int directions = 8;

/// d has at most so many bits: it is less than the number of pixels.
inline constexpr int most_step_bits = 29;

enum rim_side { top, bottom, left, right };
inline constexpr int rim_places = 4 * side;  // of a tile; corners have two

struct world {
  std::int64_t height, width;
  std::uint32_t across, tiles;
  bool diagonals;
  word* links;                // tile, plane, row
  word* seeded;               // tile, row: pixels with a seed
  word* reached;              // tile, row: pixels with d
  std::uint32_t* rims;        // tile, side, place: d; one more tile stands for what is beyond the image
  word* steps;                // tile, bit of d, row
  std::uint32_t* step_bits;   // tile: bits of d that occur
  word* leaving;              // tile, row: pixels whose path leaves the tile
  std::uint32_t* next;        // tile, side, place: the place where the path enters another tile, or itself
  std::uint32_t* rim_labels;  // tile, side, place: where `next` is the place itself

  __device__ const word* link(std::uint32_t tile, int which) const {
    return links + (std::int64_t{tile} * planes_per_tile + which) * side;
  }
  __device__ std::uint32_t* rim(std::uint32_t tile, rim_side which) const {
    return rims + std::int64_t{tile} * rim_places + which * side;
  }
  __device__ word* steps_of(std::uint32_t tile, int bit) const {
    return steps + (std::int64_t{tile} * most_step_bits + bit) * side;
  }
};

}  // namespace macareu::cuda::tile_basins

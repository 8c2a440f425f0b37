// Unites the parts of neighbouring tiles. Along facing rows, a warp takes each pair of words, two pixels per
// lane. Across word ends, a thread takes each word. A block takes four tiles side by side, because their
// words fill a memory sector.
#pragma once

#include "core/ceil_div.hpp"
#include "engines/cuda/component/bit_runs.cuh"
#include "engines/cuda/component/forests.cuh"
#include "engines/cuda/component/launch.cuh"

namespace macareu::cuda::labels {

constexpr int tiles_abreast = 4;

template <class Shape>
constexpr int across_threads = Shape::thick_rows* tiles_abreast;

/// Images use separate blocks for rows and for word ends, so that neither waits for the other.
template <class Shape>
constexpr bool ends_apart = Shape::deep == 1;

template <class Shape>
std::uint32_t across_blocks(const tile_grid& grid) {
  const auto abreast = static_cast<std::uint32_t>(ceil_div(grid.across, tiles_abreast));
  const std::uint32_t each = ends_apart<Shape> ? 2 : 1;
  return each * abreast * static_cast<std::uint32_t>(grid.down) * static_cast<std::uint32_t>(grid.deep);
}

/// Where large parts meet, most lanes hold the same pair, so only one of them unites it. Needs whole warps.
__device__ __forceinline__ void unite_once(const part_forest& forest, bool wanted, std::uint32_t a,
                                           std::uint32_t b) {
  const auto pair = wanted ? static_cast<unsigned long long>(a) << 32 | b : ~0ull;
  const auto alike = __match_any_sync(~0u, pair);
  if (wanted && lowest(alike) == static_cast<int>(threadIdx.x % 32)) forest.unite(a, b);
}

/// Words of the image's thick rows.
template <class Shape>
struct image_rows {
  const tile_grid& grid;
  const label_memory& memory;

  __device__ bool has(int y, int z) const {
    return y >= 0 && z >= 0 && y * Shape::rows_y < grid.height && z * Shape::rows_z < grid.depth;
  }
  /// The OR of the pixel rows on the side of (dy, dz).
  __device__ __forceinline__ std::uint64_t facing(int x, int y, int z, int dy, int dz) const {
    std::uint64_t bits = 0;
#pragma unroll
    for (int k = 0; k < Shape::rows_of_thick; ++k) {
      const int row_y = k % Shape::rows_y, row_z = k / Shape::rows_y;
      const int pixel_y = y * Shape::rows_y + row_y, pixel_z = z * Shape::rows_z + row_z;
      if ((dy == 0 || row_y == (dy < 0 ? 0 : Shape::rows_y - 1)) &&
          (dz == 0 || row_z == (dz < 0 ? 0 : Shape::rows_z - 1)) && pixel_y < grid.height &&
          pixel_z < grid.depth)
        bits |= memory.planes[grid.word(pixel_z, pixel_y, x)];
    }
    return bits;
  }
  __device__ std::uint64_t plane(int number, int x, int y, int z) const {
    return memory.planes[static_cast<std::uint64_t>(number) * grid.words + grid.word(z, y, x)];
  }
  __device__ std::uint64_t heads(int x, int y, int z) const {
    if constexpr (Shape::classes)
      return heads_of(plane(set_plane, x, y, z), plane(run_plane, x, y, z));
    else
      return heads_of(facing(x, y, z, 0, 0));
  }

  /// The id of the part that holds a pixel.
  __device__ std::uint32_t part(int x, int y, int z, std::uint64_t heads, int bit) const {
    const int tile_y = y / Shape::down, tile_z = z / Shape::deep;
    const auto tile = static_cast<std::uint64_t>((tile_z * grid.down + tile_y)) * grid.across + x;
    const int row = (z - tile_z * Shape::deep) * Shape::down + y - tile_y * Shape::down;
    const int slot = highest(heads & up_to<std::uint64_t>(bit)) >> Shape::slot_shift;
    const int first = memory.run_part[(tile * Shape::thick_rows + row) * Shape::slots + slot];
    const int pixel_row = first / Shape::slots;
    return grid.word(tile_z * Shape::depth + pixel_row / Shape::height,
                     tile_y * Shape::height + pixel_row % Shape::height, x) *
               Shape::slots +
           first % Shape::slots;
  }
};

template <class Shape>
__device__ void join_facing_rows(const image_rows<Shape>& rows, const part_forest& forest, int x, int y,
                                 int z, int o, int lane) {
  const int dy = Shape::dy(o), dz = Shape::dz(o), there_y = y + dy, there_z = z + dz;
  const std::uint64_t heads = rows.heads(x, y, z), heads_there = rows.heads(x, there_y, there_z);
  run_links<std::uint64_t> links;
  if constexpr (Shape::classes) {
    const int first = first_link_plane + 3 * o;
    links = links_between(heads, rows.plane(run_plane, x, y, z), heads_there, rows.plane(first, x, y, z),
                          rows.plane(first + 1, x, y, z), rows.plane(first + 2, x, y, z));
  } else {
    const auto own = rows.facing(x, y, z, 0, 0), there = rows.facing(x, there_y, there_z, 0, 0);
    const auto f = rows.facing(x, y, z, dy, dz), g = rows.facing(x, there_y, there_z, -dy, -dz);
    links =
        Shape::diagonal(o) ? links_between<true>(own, f, there, g) : links_between<false>(own, f, there, g);
  }
  // A lane has two pixels with up to three links each, and takes the links one after another.
  const auto own_two = [&](std::uint64_t list) { return static_cast<std::uint32_t>(list >> (2 * lane)) & 3; };
  for (auto left = own_two(links.same) | own_two(links.west) << 2 | own_two(links.east) << 4;
       __any_sync(~0u, left != 0); left &= left - 1) {
    const int link = left ? lowest(left) : 0, bit = 2 * lane + link % 2;
    const int shift = link < 2 ? 0 : link < 4 ? -1 : 1;
    const auto part = left ? rows.part(x, y, z, heads, bit) : 0;
    const auto part_there = left ? rows.part(x, there_y, there_z, heads_there, bit + shift) : 0;
    unite_once(forest, left != 0, part, part_there);
  }
}

/// Needs whole warps; lanes outside the image pass `inside` = false.
template <class Shape>
__device__ void join_word_ends(const image_rows<Shape>& rows, const part_forest& forest, bool inside, int x,
                               int y, int z) {
  const bool left = x > 0, right = x + 1 < rows.grid.across;
  std::uint32_t links = 0;  // two bits per offset (west, east), then one for the row itself
  bool before = false;
  if constexpr (Shape::classes)
    before = inside && (rows.plane(run_plane, x, y, z) & 1);  // planes have no links out of the image
  else
    before = inside && left && (rows.facing(x, y, z, 0, 0) & 1) && rows.facing(x - 1, y, z, 0, 0) >> 63;
#pragma unroll
  for (int o = 0; o < Shape::offsets; ++o) {
    const int dy = Shape::dy(o), dz = Shape::dz(o), there_y = y + dy, there_z = z + dz;
    bool west = false, east = false;
    if (inside && rows.has(there_y, there_z)) {
      if constexpr (Shape::classes) {
        const int first = first_link_plane + 3 * o;
        const auto same = rows.plane(first, x, y, z);
        west = rows.plane(first + 1, x, y, z) & ~same & 1;
        east = (rows.plane(first + 2, x, y, z) & ~same) >> 63;
      } else {
        // As in the middle of words, links implied by other links are left out.
        const auto f = rows.facing(x, y, z, dy, dz), g = rows.facing(x, there_y, there_z, -dy, -dz);
        if (left && (f & 1)) {
          const bool f_left = rows.facing(x - 1, y, z, dy, dz) >> 63,
                     g_left = rows.facing(x - 1, there_y, there_z, -dy, -dz) >> 63;
          if ((g & 1) && f_left && g_left) before = false;
          west = Shape::diagonal(o) && g_left && !(g & 1) && !f_left;
        }
        if (Shape::diagonal(o) && right && f >> 63 && !(g >> 63))
          east =
              (rows.facing(x + 1, there_y, there_z, -dy, -dz) & 1) && !(rows.facing(x + 1, y, z, dy, dz) & 1);
      }
    }
    links |= (static_cast<std::uint32_t>(west) | static_cast<std::uint32_t>(east) << 1) << 2 * o;
  }
  links |= static_cast<std::uint32_t>(before) << 2 * Shape::offsets;
  for (; __any_sync(~0u, links != 0); links &= links - 1) {
    std::uint32_t part = 0, part_there = 0;
    if (links) {
      const int link = lowest(links), o = link / 2;
      const bool along = o == Shape::offsets, east = link % 2 != 0;
      const int there_x = east ? x + 1 : x - 1, there_y = along ? y : y + Shape::dy(o),
                there_z = along ? z : z + Shape::dz(o);
      part = rows.part(x, y, z, rows.heads(x, y, z), east ? 63 : 0);
      part_there = rows.part(there_x, there_y, there_z, rows.heads(there_x, there_y, there_z), east ? 0 : 63);
    }
    unite_once(forest, links != 0, part, part_there);
  }
}

/// Whether a row's neighbour lies in another tile.
template <class Shape>
__device__ bool leaves_tile(int row, int o) {
  const int y = row % Shape::down + Shape::dy(o), z = row / Shape::down + Shape::dz(o);
  return y < 0 || y >= Shape::down || z < 0;
}

template <class Shape>
__global__ __launch_bounds__(across_threads<Shape>) void join_across_tiles(tile_grid grid,
                                                                           label_memory memory) {
  follow();
  constexpr int threads = across_threads<Shape>, pairs = Shape::thick_rows * Shape::offsets * tiles_abreast;
  const image_rows<Shape> rows{grid, memory};
  const part_forest forest{memory.parent};
  const std::uint32_t abreast = ceil_div(grid.across, tiles_abreast);
  const std::uint32_t all = ends_apart<Shape> ? gridDim.x / 2 : gridDim.x;
  const bool ends_alone = blockIdx.x >= all;
  const std::uint32_t block = ends_alone ? blockIdx.x - all : blockIdx.x;
  const std::uint32_t tile_row = block / abreast;
  const int first_x = static_cast<int>(block - tile_row * abreast) * tiles_abreast;
  const int first_y = static_cast<int>(tile_row % grid.down) * Shape::down,
            first_z = static_cast<int>(tile_row / grid.down) * Shape::deep;
  const auto y_of = [&](int row) { return first_y + row % Shape::down; };
  const auto z_of = [&](int row) { return first_z + row / Shape::down; };
  const int t = static_cast<int>(threadIdx.x), lane = t % 32;

  // Each lane tests one candidate pair of rows; the warp then joins the valid pairs one after another.
  // A warp's candidates lie far apart, which balances the load between warps.
  constexpr int turns = pairs / 32;
  for (int turn = ends_alone ? turns : t / 32; turn < turns; turn += threads / 32) {
    const auto is_pair = [&](int pair) {
      const int x = first_x + pair % tiles_abreast, row = pair / tiles_abreast / Shape::offsets,
                o = pair / tiles_abreast % Shape::offsets;
      return x < grid.across && leaves_tile<Shape>(row, o) && rows.has(y_of(row), z_of(row)) &&
             rows.has(y_of(row) + Shape::dy(o), z_of(row) + Shape::dz(o));
    };
    for (auto left = __ballot_sync(~0u, is_pair(lane * turns + turn)); left; left &= left - 1) {
      const int pair = lowest(left) * turns + turn;
      const int row = pair / tiles_abreast / Shape::offsets;
      join_facing_rows(rows, forest, first_x + pair % tiles_abreast, y_of(row), z_of(row),
                       pair / tiles_abreast % Shape::offsets, lane);
    }
  }
  if (ends_apart<Shape> && !ends_alone) return;
  const int x = first_x + t % tiles_abreast, row = t / tiles_abreast;
  join_word_ends(rows, forest, x < grid.across && rows.has(y_of(row), z_of(row)), x, y_of(row), z_of(row));
}

}  // namespace macareu::cuda::labels

// Links, entries and seeds of a tile as bits. One block per tile.
#pragma once

#include "core/view.hpp"
#include "engines/cuda/basins/world.cuh"
#include "engines/cuda/runtime/pixels.cuh"
#include "patterns/basins.hpp"

namespace macareu::cuda::tile_basins {

inline constexpr int link_threads = 256;
static_assert(link_threads == rim_places);  // each resets one

/// Where the flood may go. Seeds from markers tell it, else the mask does, if there is one. Without markers
/// the pixels that get no d become seeds later.
struct ground {
  const std::uint32_t* seeds;
  std::int64_t seeds_pitch;
  const std::uint8_t* mask;
  std::int64_t mask_pitch;
};
enum class ground_kind { everywhere, masked, seeded };

template <class Key>
struct link_memory {
  /// Column x of the tile at x + 4, so that four pixels are stored at once. Row y at y + 1.
  static constexpr int before = 4;
  Key level[side + 2][side + 2 * before];
  alignas(16) std::uint32_t back[side + 1][2][4];  // links upwards and to the west, by halves of rows
  std::uint32_t lower[side][2], seeds[side][2], inside[side][2];
};

/// Pixels beyond the image have the highest key. `vectors`: rows are aligned to four pixels.
template <class Key>
__device__ void load_levels(const world& all, const Key* levels, std::int64_t pitch, bool vectors,
                            std::int64_t Y, std::int64_t X, link_memory<Key>& m) {
  constexpr Key highest = static_cast<Key>(~Key{0});
  constexpr int groups = side / 4;
  const bool columns = X + side <= all.width;
#pragma unroll
  for (int i = static_cast<int>(threadIdx.x); i < (side + 2) * groups; i += link_threads) {
    const int r = i / groups, x = i % groups * 4;
    const auto y = Y + r - 1;
    const bool row = y >= 0 && y < all.height;
    pixel_group<Key, 4> four;
    if (vectors && columns && row) {
      four = load_whole<4>(levels + y * pitch + X + x);
    } else {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        four.value[k] = row && X + x + k < all.width ? levels[y * pitch + X + x + k] : highest;
    }
    store_whole(&m.level[r][x + m.before], four);
  }
  for (int i = static_cast<int>(threadIdx.x); i < 2 * (side + 2); i += link_threads) {
    const int r = i / 2, x = i % 2 ? side : -1;
    const auto y = Y + r - 1;
    const bool there = y >= 0 && y < all.height && X + x >= 0 && X + x < all.width;
    m.level[r][x + m.before] = there ? levels[y * pitch + X + x] : highest;
  }
}

/// By symmetry the links of a pixel upwards and to the west are all. Links to pixels outside the mask in
/// other tiles do no harm: those have no d.
template <class Key, bool Diagonals, ground_kind Kind>
__global__ void __launch_bounds__(link_threads)
    find_links(const __grid_constant__ world all, const Key* __restrict__ levels, std::int64_t pitch,
               bool vectors, const __grid_constant__ ground where) {
  constexpr int warps = link_threads / 32, rows = side / (warps / 2);
  __shared__ link_memory<Key> m;
  const auto tile = blockIdx.x;
  const std::int64_t X = std::int64_t{tile % all.across} * side, Y = std::int64_t{tile / all.across} * side;
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  load_levels(all, levels, pitch, vectors, Y, X, m);
  const int half = warp % 2, first = warp / 2 * rows, x = half * 32 + lane;
  if constexpr (Kind != ground_kind::everywhere) {
    std::uint32_t label[rows];
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      const auto y = Y + first + k;
      const bool there = y < all.height && X + x < all.width;
      if constexpr (Kind == ground_kind::seeded)
        label[k] = there ? where.seeds[y * where.seeds_pitch + X + x] : basin::outside;
      else
        label[k] = there && where.mask[y * where.mask_pitch + X + x] ? 0 : basin::outside;
    }
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      const auto inside = __ballot_sync(all_lanes, label[k] != basin::outside);
      const auto set = __ballot_sync(all_lanes, label[k] != 0);
      if (lane == 0) m.inside[first + k][half] = inside, m.seeds[first + k][half] = set & inside;
    }
  }
  __syncthreads();
  std::uint32_t a[3], b[3], c[3];
  const auto load = [&](std::uint32_t* to, int row) {
#pragma unroll
    for (int k = 0; k < 3; ++k) to[k] = m.level[row][x + m.before - 1 + k];
  };
  load(a, first);
  load(b, first + 1);
  const auto links_back = [&](int r) {
    const auto n = __ballot_sync(all_lanes, a[1] == b[1]), w = __ballot_sync(all_lanes, b[0] == b[1]);
    std::uint32_t nw = 0, ne = 0;
    if constexpr (Diagonals) {
      nw = __ballot_sync(all_lanes, a[0] == b[1]);
      ne = __ballot_sync(all_lanes, a[2] == b[1]);
    }
    if (lane == 0) *reinterpret_cast<uint4*>(m.back[r][half]) = {n, w, nw, ne};
  };
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    load(c, first + r + 2);
    links_back(first + r);
    auto low = __vimin3_u32(min(a[1], c[1]), b[0], b[2]);
    if constexpr (Diagonals) low = __vimin3_u32(low, min(a[0], a[2]), min(c[0], c[2]));
    const auto lower = __ballot_sync(all_lanes, low < b[1]);
    if (lane == 0) m.lower[first + r][half] = lower;
#pragma unroll
    for (int k = 0; k < 3; ++k) a[k] = b[k], b[k] = c[k];
  }
  if (first + rows == side) links_back(side);
  __syncthreads();

  all.rims[std::int64_t{tile} * rim_places + threadIdx.x] = never;
  if (tile == 0) all.rims[std::int64_t{all.tiles} * rim_places + threadIdx.x] = never;
  if (threadIdx.x >= side) return;
  const int y = static_cast<int>(threadIdx.x);
  const auto joined = [](const std::uint32_t* halves) { return word{halves[0]} | word{halves[1]} << 32; };
  const auto row = [&](int r, int k) { return word{m.back[r][0][k]} | word{m.back[r][1][k]} << 32; };
  const auto in_row = [&](int r) {
    if (r < 0 || r >= side) return ~word{0};
    if constexpr (Kind != ground_kind::everywhere) return joined(m.inside[r]);
    if (Y + r >= all.height) return word{0};
    return X + side <= all.width ? ~word{0} : (word{1} << (all.width - X)) - 1;
  };
  constexpr word last = word{1} << 63;
  const auto linked = [&](int row_here, int column, int row_there, int column_there) {
    return m.level[row_here + 1][column + m.before] == m.level[row_there + 1][column_there + m.before];
  };
  const word in = in_row(y), up = in_row(y - 1), down = in_row(y + 1), w = row(y, 1);
  word* const to = all.links + std::int64_t{tile} * planes_per_tile * side + y;
  const auto store = [&](int plane, word bits, word other) { to[plane * side] = bits & in & other; };
  store(north, row(y, 0), up);
  store(west, w, in << 1 | 1);
  store(east, w >> 1 | (linked(y, 63, y, 64) ? last : 0), in >> 1 | last);
  store(south, row(y + 1, 0), down);
  word nw = 0, ne = 0, sw = 0, se = 0;
  if constexpr (Diagonals) {
    nw = row(y, 2);
    ne = row(y, 3);
    sw = row(y + 1, 3) << 1 | linked(y, 0, y + 1, -1);
    se = row(y + 1, 2) >> 1 | (linked(y, 63, y + 1, 64) ? last : 0);
  }
  store(north_west, nw, up << 1 | 1);
  store(north_east, ne, up >> 1 | last);
  store(south_west, sw, down << 1 | 1);
  store(south_east, se, down >> 1 | last);
  const word seeds = Kind == ground_kind::seeded ? joined(m.seeds[y]) : 0;
  to[entries * side] = (joined(m.lower[y]) & in) | seeds;
  all.seeded[std::int64_t{tile} * side + y] = Kind == ground_kind::seeded ? seeds : in;
}

}  // namespace macareu::cuda::tile_basins

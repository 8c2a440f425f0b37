// Links, entries and seeds of a tile as bits. One block per tile.
#pragma once

#include "core/view.hpp"
#include "engines/cuda/basins/world.cuh"
#include "patterns/basins.hpp"

namespace macareu::cuda::tile_basins {

inline constexpr int link_threads = 256;

/// Where the flood may go. Seeds from markers tell both; the minima that `levels` leave without d become
/// seeds later, and then the mask tells, if there is one.
struct ground {
  const std::uint32_t* seeds;
  std::int64_t seeds_pitch;
  const std::uint8_t* mask;
  std::int64_t mask_pitch;
};

/// By symmetry the links of a pixel upwards and to the west are all. Links to pixels outside the mask in
/// other tiles do no harm: those have no d.
template <class Key, bool Diagonals>
__global__ void __launch_bounds__(link_threads)
    find_links(const __grid_constant__ world all, const Key* __restrict__ levels, std::int64_t pitch,
               const __grid_constant__ ground where) {
  constexpr Key highest = static_cast<Key>(~Key{0});
  constexpr int warps = link_threads / 32, rows = side / (warps / 2);
  __shared__ Key s[side + 2][side + 8];  // column x of the tile at x + 1
  __shared__ __align__(16) std::uint32_t back[side + 1][2][4];
  struct own_bits {
    std::uint32_t entries, seeds, inside;
  };
  __shared__ own_bits own[side][2];
  const auto tile = blockIdx.x;
  const std::int64_t X = std::int64_t{tile % all.across} * side, Y = std::int64_t{tile / all.across} * side;
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
#pragma unroll 9
  for (int r = warp; r < side + 2; r += warps) {
    const auto y = Y + r - 1;
    const bool row = y >= 0 && y < all.height;
    const Key* const from = levels + (row ? y : 0) * pitch + X;
    s[r][1 + lane] = row && X + lane < all.width ? from[lane] : highest;
    s[r][33 + lane] = row && X + 32 + lane < all.width ? from[32 + lane] : highest;
    if (lane < 2) {
      const int x = lane ? side : -1;
      s[r][1 + x] = row && X + x >= 0 && X + x < all.width ? from[x] : highest;
    }
  }
  const int half = warp % 2, first = warp / 2 * rows, x = half * 32 + lane;
  std::uint32_t seeded = 0, inside = 0;
#pragma unroll
  for (int k = 0; k < rows; ++k) {
    const auto y = Y + first + k;
    bool in = y < all.height && X + x < all.width, seed = false;
    if (in && where.seeds) {
      const auto label = where.seeds[y * where.seeds_pitch + X + x];
      in = label != basin::outside;
      seed = in && label != 0;
    } else if (in && where.mask) {
      in = where.mask[y * where.mask_pitch + X + x] != 0;
    }
    seeded |= std::uint32_t{seed} << k;
    inside |= std::uint32_t{in} << k;
  }
  __syncthreads();
  std::uint32_t a[3], b[3], c[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) a[k] = s[first][x + k], b[k] = s[first + 1][x + k];
  const auto links_back = [&](int r) {
    const auto n = __ballot_sync(all_lanes, a[1] == b[1]), w = __ballot_sync(all_lanes, b[0] == b[1]);
    std::uint32_t nw = 0, ne = 0;
    if constexpr (Diagonals) {
      nw = __ballot_sync(all_lanes, a[0] == b[1]);
      ne = __ballot_sync(all_lanes, a[2] == b[1]);
    }
    if (lane == 0) *reinterpret_cast<uint4*>(back[r][half]) = {n, w, nw, ne};
  };
#pragma unroll
  for (int r = 0; r < rows; ++r) {
#pragma unroll
    for (int k = 0; k < 3; ++k) c[k] = s[first + r + 2][x + k];
    links_back(first + r);
    auto low = __vimin3_u32(min(a[1], c[1]), b[0], b[2]);
    if constexpr (Diagonals) low = __vimin3_u32(low, min(a[0], a[2]), min(c[0], c[2]));
    const bool in = inside >> r & 1, seed = seeded >> r & 1;
    const auto entry = __ballot_sync(all_lanes, (in && low < b[1]) || seed);
    const auto seeds = __ballot_sync(all_lanes, seed), ins = __ballot_sync(all_lanes, in);
    if (lane == 0) own[first + r][half] = {entry, seeds, ins};
#pragma unroll
    for (int k = 0; k < 3; ++k) a[k] = b[k], b[k] = c[k];
  }
  if (first + rows == side) links_back(side);
  __syncthreads();

  all.rims[std::int64_t{tile} * rim_places + threadIdx.x] = never;
  if (tile == 0) all.rims[std::int64_t{all.tiles} * rim_places + threadIdx.x] = never;
  if (threadIdx.x >= side) return;
  const int y = static_cast<int>(threadIdx.x);
  const auto joined = [](std::uint32_t low, std::uint32_t high) { return word{low} | word{high} << 32; };
  const auto row = [&](int r, int k) { return joined(back[r][0][k], back[r][1][k]); };
  const auto in_row = [&](int r) {
    return r < 0 || r >= side ? ~word{0} : joined(own[r][0].inside, own[r][1].inside);
  };
  constexpr word last = word{1} << 63;
  const auto linked = [&](int r, int i, int r2, int j) { return s[r][i] == s[r2][j]; };
  const word in = in_row(y), up = in_row(y - 1), down = in_row(y + 1), w = row(y, 1);
  word* const to = all.links + std::int64_t{tile} * planes_per_tile * side + y;
  const auto store = [&](int plane, word bits, word other) { to[plane * side] = bits & in & other; };
  store(north, row(y, 0), up);
  store(west, w, in << 1 | 1);
  store(east, w >> 1 | (linked(y + 1, 65, y + 1, 64) ? last : 0), in >> 1 | last);
  store(south, row(y + 1, 0), down);
  word nw = 0, ne = 0, sw = 0, se = 0;
  if constexpr (Diagonals) {
    nw = row(y, 2);
    ne = row(y, 3);
    sw = row(y + 1, 3) << 1 | linked(y + 2, 0, y + 1, 1);
    se = row(y + 1, 2) >> 1 | (linked(y + 2, 65, y + 1, 64) ? last : 0);
  }
  store(north_west, nw, up << 1 | 1);
  store(north_east, ne, up >> 1 | last);
  store(south_west, sw, down << 1 | 1);
  store(south_east, se, down >> 1 | last);
  to[entries * side] = joined(own[y][0].entries, own[y][1].entries);
  all.seeded[std::int64_t{tile} * side + y] =
      where.seeds ? joined(own[y][0].seeds, own[y][1].seeds) : in;  // minima: those without d, later
}

}  // namespace macareu::cuda::tile_basins

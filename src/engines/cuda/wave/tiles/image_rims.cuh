// Rims that tiles of a 2-D image publish for their neighbours: the keys of the four outermost lines, and the
// thresholds above which a key raises those pixels. Accesses are relaxed, because a neighbour may read while
// the owner writes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "engines/cuda/wave/tiles/image_tile.cuh"
#include "engines/cuda/wave/tiles/relaxed.cuh"
#include "engines/cuda/wave/tiles/scheduler.cuh"

namespace macareu::cuda::tiles {

/// The neighbours of a tile, in the order of wake-up bits. Tile number `tiles` is a sentinel outside the
/// image: its rims stay 0, and it is never woken.
struct tile_neighbours {
  enum { up, down, left, right, up_left, up_right, down_left, down_right };
  std::uint32_t at[8];
  std::uint32_t beyond;

  __device__ tile_neighbours(std::uint32_t tile, std::uint32_t across, std::uint32_t tiles) {
    const std::uint32_t x = tile % across;
    const bool l = x > 0, r = x + 1 < across, u = tile >= across, d = tile + across < tiles;
    const auto some = [&](bool there, std::uint32_t t) { return there ? t : tiles; };
    beyond = tiles;
    at[up] = some(u, tile - across), at[down] = some(d, tile + across);
    at[left] = some(l, tile - 1), at[right] = some(r, tile + 1);
    at[up_left] = some(u && l, tile - across - 1), at[up_right] = some(u && r, tile - across + 1);
    at[down_left] = some(d && l, tile + across - 1), at[down_right] = some(d && r, tile + across + 1);
  }

  /// The neighbour of a lane below 8, or no_tile.
  __device__ std::uint32_t of_lane(int lane) const {
    std::uint32_t mine = beyond;
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (lane == i) mine = at[i];
    return mine == beyond ? no_tile : mine;
  }
};

enum class rim_kind { state, threshold };
enum class rim_side { top, bottom, left, right };

/// Pending loads of rims. The first use stalls the warp, so they are used as late as possible.
template <class Key>
struct arriving_lines {
  typename lane_keys<Key>::run top, bottom, left, right;

  __device__ rim_lines<Key> arrived() const {
    using keys = lane_keys<Key>;
    return {keys::from_run(top), keys::from_run(bottom), keys::from_run(left), keys::from_run(right)};
  }
};

template <class Key>
struct published_rims {
  using keys = lane_keys<Key>;
  using run = typename keys::run;
  using word = typename keys::word;
  Key* data;

  static constexpr std::int64_t per_tile = 8 * keys::side;

  __device__ Key* line(std::uint32_t tile, rim_kind kind, rim_side side) const {
    return data + tile * per_tile + (static_cast<int>(kind) * 4 + static_cast<int>(side)) * keys::side;
  }
  __device__ run read(std::uint32_t tile, rim_kind kind, rim_side side, int lane) const {
    return load_relaxed(reinterpret_cast<const run*>(line(tile, kind, side)) + lane);
  }
  __device__ void write(std::uint32_t tile, rim_kind kind, const rim_lines<Key>& lines, int lane) const {
    const auto one = [&](rim_side side, word w) {
      store_relaxed(reinterpret_cast<run*>(line(tile, kind, side)) + lane, keys::to_run(w));
    };
    one(rim_side::top, lines.top), one(rim_side::bottom, lines.bottom);
    one(rim_side::left, lines.left), one(rim_side::right, lines.right);
  }
  /// Starts loading the neighbours' lines that face a tile.
  __device__ arriving_lines<Key> around(const tile_neighbours& near, rim_kind kind, int lane) const {
    using side = rim_side;
    return {read(near.at[near.up], kind, side::bottom, lane), read(near.at[near.down], kind, side::top, lane),
            read(near.at[near.left], kind, side::right, lane),
            read(near.at[near.right], kind, side::left, lane)};
  }
  /// Lanes 4 to 7: the pixel of a diagonal neighbour that touches the tile's corner.
  __device__ Key corner(const tile_neighbours& near, rim_kind kind, int lane) const {
    const auto tile = near.of_lane(lane);
    if (lane < 4 || lane > 7 || tile == no_tile) return 0;
    const auto side = lane < near.down_left ? rim_side::bottom : rim_side::top;
    const bool from_left = lane == near.up_left || lane == near.down_left;
    return load_relaxed(line(tile, kind, side) + (from_left ? keys::side - 1 : 0));
  }
};

}  // namespace macareu::cuda::tiles

// d of a tile by fronts of bits: a lane of the warp owns two rows, and a step of the whole tile takes some
// hundred instructions. Offers of the rims around join the front when their step comes.
//
// A visit that lowers the rims of its tile publishes them and wakes neighbours that they can lower. It
// compares with rims as they were before the visit. Rims only fall, so no wake-up is missed. The worklist
// orders accesses (wave/tiles/worklist.cuh). Rims are relaxed, because a neighbour may read while the owner
// writes.
#pragma once

#include "engines/cuda/basins/flat_tile.cuh"
#include "engines/cuda/basins/world.cuh"
#include "engines/cuda/runtime/dependent_launch.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/tiles/image_rims.cuh"
#include "engines/cuda/wave/tiles/scheduler.cuh"

namespace macareu::cuda::tile_basins {

using tiles::load_relaxed;
using tiles::store_relaxed;
using tiles::tile_neighbours;

/// Rows 2 * lane and 2 * lane + 1.
struct two_rows {
  word a, b;
};

__device__ inline two_rows load_rows(const word* plane, int lane) {
  const auto v = reinterpret_cast<const ulonglong2*>(plane)[lane];
  return {v.x, v.y};
}
__device__ inline void store_rows(word* plane, int lane, two_rows v) {
  reinterpret_cast<ulonglong2*>(plane)[lane] = {v.a, v.b};
}
__device__ inline std::uint32_t one_more(std::uint32_t d) { return d == never ? never : d + 1; }
__device__ inline bool bit(word row, int i) { return row >> i & 1; }

class tile_front {
 public:
  __device__ tile_front(const world& all, std::uint32_t tile)
      : all_(all),
        tile_(tile),
        lane_(static_cast<int>(threadIdx.x % 32)),
        near_(tile, all.across, all.tiles) {}

  __device__ const tile_neighbours& near() const { return near_; }

  /// Loads the rims, then the links.
  __device__ void load() {
    using n = tile_neighbours;
    load_column(tile_, left, own_.left);
    load_column(tile_, right, own_.right);
    load_row(tile_, top, own_.top);
    load_row(tile_, bottom, own_.bottom);
    load_column(near_.at[n::left], right, around_.left);
    load_column(near_.at[n::right], left, around_.right);
    load_row(near_.at[n::up], bottom, around_.top);
    load_row(near_.at[n::down], top, around_.bottom);
    const auto beside = near_.of_lane(lane_);
    corner_ = never;
    if (lane_ >= 4 && lane_ < 8 && beside != tiles::no_tile)
      corner_ = load_relaxed(all_.rim(beside, lane_ < n::down_left ? bottom : top) +
                             (lane_ == n::up_left || lane_ == n::down_left ? side - 1 : 0));
#pragma unroll
    for (int k = 0; k < directions; ++k) links_[k] = load_rows(all_.link(tile_, k), lane_);
    front_ = seen_ = load_rows(all_.link(tile_, entries), lane_);
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      up_[k] = __shfl_sync(all_lanes, links_[up_of(k)].a, 0);
      down_[k] = __shfl_sync(all_lanes, links_[down_of(k)].b, 31);
    }
    before_ = own_.sum();
  }

  /// before_step(old d, new d, pixels that had d before it). Returns the number of steps.
  template <class BeforeStep>
  __device__ unsigned run(BeforeStep&& before_step) {
    auto offers = take_offers();
    const bool offered = __any_sync(all_lanes, offers.least() != never);
#pragma unroll
    for (int i = 0; i < 2; ++i) own_.left[i] = own_.right[i] = own_.top[i] = own_.bottom[i] = never;
    std::uint32_t d = 0;
    unsigned steps = 0;
    note_rims(d);
    for (;; ++steps) {
      const bool moves = __any_sync(all_lanes, (front_.a | front_.b) != 0);
      two_rows to = spread();  // before `moves` is used, so that the latency of the vote is hidden
      const auto before = d++;
      if (offered) {
        if (!moves) {
          d = __reduce_min_sync(all_lanes, offers.least());
          if (d == never) break;
        }
        join(offers, d, to);
      } else if (!moves) {
        break;
      }
      before_step(before, d, seen_);
      front_ = {to.a & ~seen_.a, to.b & ~seen_.b};
      seen_ = {seen_.a | front_.a, seen_.b | front_.b};
      note_rims(d);
    }
    return steps;
  }

  /// All pixels are linked, and there are no entries.
  __device__ bool is_flat() const {
    const auto &w = links_[west], &s = links_[south];
    const word linked = (w.a | 1) & (w.b | 1) & s.a & (lane_ == 31 ? ~word{0} : s.b);
    return __all_sync(all_lanes, linked == ~word{0} && (front_.a | front_.b) == 0);
  }
  /// Finds the rims of a flat tile.
  __device__ void run_flat() {
    own_ = flat_crossing(all_.diagonals, lane_).rims(take_offers());
    const word all = __any_sync(all_lanes, own_.left[0] != never) ? ~word{0} : 0;
    seen_ = {all, all};
  }

  __device__ two_rows reached() const { return seen_; }
  /// Have rims fallen? They never rise.
  __device__ bool has_new_rims() const { return __any_sync(all_lanes, own_.sum() != before_); }

  __device__ void publish() const {
    store_column(left, own_.left);
    store_column(right, own_.right);
    store_row(top, own_.top);
    store_row(bottom, own_.bottom);
  }

  /// A bit for every neighbour whose rim the tile can lower. A neighbour outside the mask with the highest
  /// key seems so for ever, so only new rims count.
  __device__ unsigned lowers() const {
    using n = tile_neighbours;
    unsigned wakes = 0;
    const auto wake = [&](int which, bool when) { wakes |= when ? 1u << which : 0u; };
    const auto columns = [&](const std::uint32_t* own, const std::uint32_t* other, int which,
                             int before_which, int after_which, int back, int same, int on, int column) {
      const std::uint32_t offer[2] = {one_more(own[0]), one_more(own[1])};
      const auto before = before_of(other[1], before_which), after = after_of(other[0], after_which);
      const bool first = bit(links_[back].a, column) && offer[0] < before;
      const bool last = bit(links_[on].b, column) && offer[1] < after;
      wake(which, (bit(links_[same].a, column) && offer[0] < other[0]) ||
                      (bit(links_[on].a, column) && offer[0] < other[1]) ||
                      (bit(links_[back].b, column) && offer[1] < other[0]) ||
                      (bit(links_[same].b, column) && offer[1] < other[1]) || (first && lane_ > 0) ||
                      (last && lane_ < 31));
      wake(before_which, first && lane_ == 0);
      wake(after_which, last && lane_ == 31);
    };
    columns(own_.left, around_.left, n::left, n::up_left, n::down_left, north_west, west, south_west, 0);
    columns(own_.right, around_.right, n::right, n::up_right, n::down_right, north_east, east, south_east,
            63);
    const auto rows = [&](const std::uint32_t* own, const std::uint32_t* other, const word* links, int which,
                          int before_which, int after_which) {
      const auto beside = row_neighbours(other, before_which, after_which);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int x = lane_ + 32 * i;
        const auto offer = one_more(own[i]);
        const bool first = bit(links[0], x) && offer < beside.before[i];
        const bool last = bit(links[2], x) && offer < beside.after[i];
        wake(which, (bit(links[1], x) && offer < other[i]) || (first && x > 0) || (last && x < 63));
        wake(before_which, first && x == 0);
        wake(after_which, last && x == 63);
      }
    };
    rows(own_.top, around_.top, up_, n::up, n::up_left, n::up_right);
    rows(own_.bottom, around_.bottom, down_, n::down, n::down_left, n::down_right);
    return __reduce_or_sync(all_lanes, wakes);
  }

 private:
  static __device__ constexpr int up_of(int k) { return k == 0 ? north_west : k == 1 ? north : north_east; }
  static __device__ constexpr int down_of(int k) { return k == 0 ? south_west : k == 1 ? south : south_east; }

  __device__ void load_column(std::uint32_t tile, rim_side which, std::uint32_t* to) const {
    const auto two = load_relaxed(reinterpret_cast<const std::uint64_t*>(all_.rim(tile, which)) + lane_);
    to[0] = static_cast<std::uint32_t>(two), to[1] = static_cast<std::uint32_t>(two >> 32);
  }
  __device__ void load_row(std::uint32_t tile, rim_side which, std::uint32_t* to) const {
    to[0] = load_relaxed(all_.rim(tile, which) + lane_);
    to[1] = load_relaxed(all_.rim(tile, which) + 32 + lane_);
  }
  __device__ void store_column(rim_side which, const std::uint32_t* d) const {
    store_relaxed(reinterpret_cast<std::uint64_t*>(all_.rim(tile_, which)) + lane_,
                  d[0] | std::uint64_t{d[1]} << 32);
  }
  __device__ void store_row(rim_side which, const std::uint32_t* d) const {
    store_relaxed(all_.rim(tile_, which) + lane_, d[0]);
    store_relaxed(all_.rim(tile_, which) + 32 + lane_, d[1]);
  }

  /// The value above row 2 * lane, or below row 2 * lane + 1, of a column beside the tile.
  __device__ std::uint32_t before_of(std::uint32_t second, int corner) const {
    const auto before = __shfl_up_sync(all_lanes, second, 1), end = __shfl_sync(all_lanes, corner_, corner);
    return lane_ == 0 ? end : before;
  }
  __device__ std::uint32_t after_of(std::uint32_t first, int corner) const {
    const auto after = __shfl_down_sync(all_lanes, first, 1), end = __shfl_sync(all_lanes, corner_, corner);
    return lane_ == 31 ? end : after;
  }
  struct beside_row {
    std::uint32_t before[2], after[2];
  };
  __device__ beside_row row_neighbours(const std::uint32_t* d, int before_corner, int after_corner) const {
    const auto rotated = [&](std::uint32_t v, int by) {
      return __shfl_sync(all_lanes, v, (lane_ + by) & 31);
    };
    const auto back0 = rotated(d[0], 31), back1 = rotated(d[1], 31);
    const auto on0 = rotated(d[0], 1), on1 = rotated(d[1], 1);
    const auto first = __shfl_sync(all_lanes, corner_, before_corner),
               last = __shfl_sync(all_lanes, corner_, after_corner);
    return {{lane_ == 0 ? first : back0, lane_ == 0 ? back0 : back1},
            {lane_ == 31 ? on1 : on0, lane_ == 31 ? last : on1}};
  }

  __device__ rim_lines take_offers() const {
    using n = tile_neighbours;
    rim_lines offers;
    const auto linked = [](word links, int column, std::uint32_t d) {
      return bit(links, column) ? d : never;
    };
    const auto columns = [&](const std::uint32_t* d, int before_which, int after_which, int back, int same,
                             int on, int column, std::uint32_t* to) {
      const auto before = before_of(d[1], before_which), after = after_of(d[0], after_which);
      to[0] = one_more(min(min(linked(links_[back].a, column, before), linked(links_[same].a, column, d[0])),
                           linked(links_[on].a, column, d[1])));
      to[1] = one_more(min(min(linked(links_[back].b, column, d[0]), linked(links_[same].b, column, d[1])),
                           linked(links_[on].b, column, after)));
    };
    columns(around_.left, n::up_left, n::down_left, north_west, west, south_west, 0, offers.left);
    columns(around_.right, n::up_right, n::down_right, north_east, east, south_east, 63, offers.right);
    const auto rows = [&](const std::uint32_t* d, const word* links, int before_which, int after_which,
                          std::uint32_t* to) {
      const auto beside = row_neighbours(d, before_which, after_which);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int x = lane_ + 32 * i;
        to[i] = one_more(min(min(linked(links[0], x, beside.before[i]), linked(links[1], x, d[i])),
                             linked(links[2], x, beside.after[i])));
      }
    };
    rows(around_.top, up_, n::up_left, n::up_right, offers.top);
    rows(around_.bottom, down_, n::down_left, n::down_right, offers.bottom);
    return offers;
  }

  /// Pixels linked to the front.
  __device__ two_rows spread() const {
    word up = __shfl_up_sync(all_lanes, front_.b, 1), down = __shfl_down_sync(all_lanes, front_.a, 1);
    if (lane_ == 0) up = 0;
    if (lane_ == 31) down = 0;
    const auto row = [](word n, word at, word s, word N, word W, word E, word S, word NW, word NE, word SW,
                        word SE) {
      return (n & N) | (at << 1 & W) | (at >> 1 & E) | (s & S) | (n << 1 & NW) | (n >> 1 & NE) |
             (s << 1 & SW) | (s >> 1 & SE);
    };
    const auto& l = links_;
    return {row(up, front_.a, front_.b, l[0].a, l[1].a, l[2].a, l[3].a, l[4].a, l[5].a, l[6].a, l[7].a),
            row(front_.a, front_.b, down, l[0].b, l[1].b, l[2].b, l[3].b, l[4].b, l[5].b, l[6].b, l[7].b)};
  }

  /// Pixels whose offer is due now.
  __device__ void join(rim_lines& offers, std::uint32_t d, two_rows& to) const {
    const auto take = [&](std::uint32_t& offer) {
      const bool now = offer == d;
      if (now) offer = never;
      return now;
    };
    constexpr word last = word{1} << 63;
    if (take(offers.left[0])) to.a |= 1;
    if (take(offers.left[1])) to.b |= 1;
    if (take(offers.right[0])) to.a |= last;
    if (take(offers.right[1])) to.b |= last;
    const auto row = [&](std::uint32_t* line) {
      const word low = __ballot_sync(all_lanes, take(line[0])),
                 high = __ballot_sync(all_lanes, take(line[1]));
      return low | high << 32;
    };
    const word up = row(offers.top), down = row(offers.bottom);
    if (lane_ == 0) to.a |= up;
    if (lane_ == 31) to.b |= down;
  }

  __device__ void note_rims(std::uint32_t d) {
    if (front_.a & 1) own_.left[0] = d;
    if (front_.b & 1) own_.left[1] = d;
    if (front_.a >> 63) own_.right[0] = d;
    if (front_.b >> 63) own_.right[1] = d;
    const word up = __shfl_sync(all_lanes, front_.a, 0), down = __shfl_sync(all_lanes, front_.b, 31);
    if (static_cast<unsigned>(up) >> lane_ & 1) own_.top[0] = d;
    if (static_cast<unsigned>(up >> 32) >> lane_ & 1) own_.top[1] = d;
    if (static_cast<unsigned>(down) >> lane_ & 1) own_.bottom[0] = d;
    if (static_cast<unsigned>(down >> 32) >> lane_ & 1) own_.bottom[1] = d;
  }

  const world& all_;
  std::uint32_t tile_;
  int lane_;
  tile_neighbours near_;
  two_rows links_[directions], front_, seen_;
  word up_[3], down_[3];  // links of the first row upwards and of the last row downwards, in all lanes
  rim_lines around_, own_;
  std::uint64_t before_;  // sum of this lane's rims before the visit
  std::uint32_t corner_;  // lanes 4 to 7: d of the pixel of a diagonal neighbour that touches the tile
};

inline constexpr int visit_warps = tuning::basin_tile_warps;

struct step_wave {
  world all;
  tiles::worklist work;
  tiles::wave_limits limits;
};

__global__ void __launch_bounds__(visit_warps * 32, tuning::basin_tile_blocks)
    visit_tiles(const __grid_constant__ step_wave wave) {
  tiles::scheduler schedule(wave.work, wave.limits, wave.all.across);
  const int lane = static_cast<int>(threadIdx.x % 32);
  tiles::scheduler::turn at;
  while (schedule.next(at)) {
    if (at.first && lane == 0) wave.work.begin(at.tile);
    __syncwarp();  // what one lane acquired, all read
    tile_front tile(wave.all, at.tile);
    tile.load();
    if (tile.is_flat()) {
      tile.run_flat();
      schedule.visited(1);
    } else {
      schedule.visited(tile.run([](std::uint32_t, std::uint32_t, two_rows) {}));
    }
    store_rows(wave.all.reached + std::int64_t{at.tile} * side, lane, tile.reached());
    unsigned wakes = 0;
    if (tile.has_new_rims()) {
      tile.publish();
      wakes = tile.lowers();
    }
    __syncwarp();
    tiles::publish_fence();
    schedule.leave(at, true, wakes, tile.near().of_lane(lane));
  }
  schedule.end(blockIdx.x * visit_warps + threadIdx.x / 32);
}

using tuning::settle_warps;
/// Bit planes of d below the first are in registers, those below the second in shared memory.
inline constexpr int own_step_bits = tuning::step_bits_in_registers,
                     shared_step_bits = tuning::step_bits_in_shared_memory;

/// d of all pixels, from the final rims. The bits of a counter freeze when a pixel is reached.
__global__ void __launch_bounds__(settle_warps * 32) settle_tiles(const __grid_constant__ world all) {
  __shared__ ulonglong2 planes[settle_warps][shared_step_bits][32];
  follow();
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const auto tile = blockIdx.x * settle_warps + threadIdx.x / 32;
  if (tile >= all.tiles) return;
  const auto rows_of = [&](int j) {
    return j < shared_step_bits ? &planes[warp][j][lane]
                                : reinterpret_cast<ulonglong2*>(all.steps_of(tile, j)) + lane;
  };
  tile_front front(all, tile);
  front.load();
  std::uint32_t used = 0;
  two_rows lowest[own_step_bits] = {};  // they turn most often
  front.run([&](std::uint32_t before, std::uint32_t d, two_rows seen) {
    const auto turned = before ^ d, known = used;
    used |= turned;
#pragma unroll
    for (int j = 0; j < own_step_bits; ++j)
      if (turned >> j & 1) lowest[j] = {lowest[j].a ^ ~seen.a, lowest[j].b ^ ~seen.b};
    for (auto left = turned >> own_step_bits << own_step_bits; left; left &= left - 1) {
      const int j = __ffs(static_cast<int>(left)) - 1;
      auto* const rows = rows_of(j);
      const ulonglong2 old = known >> j & 1 ? *rows : ulonglong2{0, 0};
      *rows = {old.x ^ ~seen.a, old.y ^ ~seen.b};
    }
  });
  constexpr auto in_registers = (1u << own_step_bits) - 1, in_shared = (1u << shared_step_bits) - 1;
#pragma unroll
  for (int j = 0; j < own_step_bits; ++j)
    if (used >> j & 1) store_rows(all.steps_of(tile, j), lane, lowest[j]);
  for (auto left = used & in_shared & ~in_registers; left; left &= left - 1) {
    const int j = __ffs(static_cast<int>(left)) - 1;
    reinterpret_cast<ulonglong2*>(all.steps_of(tile, j))[lane] = planes[warp][j][lane];
  }
  if (lane == 0) all.step_bits[tile] = used;
}

}  // namespace macareu::cuda::tile_basins

// A warp's dealings with the worklist: which tile next, whom to wake, when to stop.
#pragma once

#include "engines/cuda/wave/tiles.cuh"
#include "engines/cuda/wave/tiles/relaxed.cuh"
#include "engines/cuda/wave/tiles/worklist.cuh"

namespace macareu::cuda::tiles {

inline constexpr unsigned all_lanes = ~0u;
inline constexpr std::uint32_t no_tile = ~0u;

/// When a wave is given up; no limits for one that must settle.
struct wave_limits {
  unsigned long long nanoseconds = 0;
  std::uint32_t tiles_without_start = 0;
};

class scheduler {
 public:
  struct turn {
    std::uint32_t tile;
    bool first;  // visit of this tile
  };

  /// `active`: whether the calling warp takes part; one of a block does where a block visits a tile.
  __device__ scheduler(const worklist& work, const wave_limits& limits, std::uint32_t across, bool active = true)
      : work_(work), limits_(limits), across_(across), lane_(static_cast<int>(threadIdx.x & 31)), began_(now()) {
    if (active) draw();
  }

  /// True while there is a next tile.
  __device__ bool next(turn& to) {
    to = {handed_, false};
    handed_ = no_tile;
    if (to.tile != no_tile) return true;
    to.first = ticket_ < work_.tiles;
    if (to.first) {
      to.tile = work_.first_visit(ticket_, across_);
      return true;
    }
    bool waited = false;
    to.tile = __shfl_sync(all_lanes, lane_ == 0 ? work_.take(ticket_, waited) : 0u, 0);
    others_wait_ = __shfl_sync(all_lanes, waited, 0);
    return to.tile != worklist::stop;
  }

  /// Once a wave is given up, tiles are only taken from the queue; but a long wave's states must have been
  /// written everywhere.
  __device__ bool skips(const turn& at) const {
    return gave_up_ == static_cast<std::uint32_t>(tile_outcome::few_starts) ||
           (gave_up_ != static_cast<std::uint32_t>(tile_outcome::settled) && !at.first);
  }

  /// Other workers waited for work when last seen.
  __device__ bool others_wait() const { return others_wait_; }

  /// A first visit found nothing to spread, but room to rise.
  __device__ void found_no_start() const {
    if (limits_.nanoseconds && lane_ == 0 &&
        word_ref(work_.counters->without_start).fetch_add(1, ::cuda::std::memory_order_relaxed) ==
            limits_.tiles_without_start)
      give_up(tile_outcome::few_starts);
  }

  /// Before the end of a visit. Bit i of `wanted` is for the tile `mine` of lane i.
  __device__ void wake(unsigned wanted, std::uint32_t mine) const {
    const bool push = (wanted >> lane_ & 1) && mine != no_tile && work_.wake(mine);
    const unsigned pushed = __ballot_sync(all_lanes, push);
    if (!pushed) return;
    std::uint32_t base = 0;
    if (lane_ == 0) {
      work_.count(__popc(pushed) + 1);  // none is finished
      base = work_.draw_places(__popc(pushed));
    }
    put(push, pushed, __shfl_sync(all_lanes, base, 0), mine);
  }

  /// The end of a visit, or of a turn that was skipped: wakes the `wanted` of the lanes' tiles `mine` (lanes
  /// below 27), gives the tile back, and keeps one woken tile where others wait for work (it saves the way
  /// through the queue). True if nothing is left to do anywhere.
  __device__ bool leave(const turn& at, bool visited, unsigned wanted, std::uint32_t mine) {
    constexpr int own = 27, ask_head = 28, ask_tail = 29, ask_gave_up = 30;
    const auto* counters = work_.counters;
    bool push = false;
    std::uint32_t asked = 0;
    if (lane_ < own)
      push = (wanted >> lane_ & 1) && mine != no_tile && work_.wake(mine);
    else if (lane_ == own)
      mine = at.tile, push = visited && work_.end(at.tile);
    else if (lane_ == ask_head)
      asked = load_relaxed(&counters->head);
    else if (lane_ == ask_tail)
      asked = load_relaxed(&counters->tail);
    else if (lane_ == ask_gave_up)
      asked = load_relaxed(&counters->gave_up);
    unsigned pushed = __ballot_sync(all_lanes, push);
    notice(__shfl_sync(all_lanes, asked, ask_head), __shfl_sync(all_lanes, asked, ask_tail),
           __shfl_sync(all_lanes, asked, ask_gave_up));

    const int opened = __popc(pushed);
    if (others_wait_ && pushed) {
      const int kept = __ffs(pushed) - 1;
      handed_ = __shfl_sync(all_lanes, mine, kept);
      pushed &= pushed - 1;
      push = push && lane_ != kept;
    }
    std::uint32_t base = 0;
    bool last = false;
    if (lane_ == 0) {
      if (pushed) base = work_.draw_places(__popc(pushed));
      last = work_.count(opened);
    }
    if (handed_ == no_tile) draw();
    put(push, pushed, __shfl_sync(all_lanes, base, 0), mine);
    last = __shfl_sync(all_lanes, last, 0);
    if (last) work_.release_all(lane_, 32);
    return last;
  }

  __device__ void report(unsigned long long visits, unsigned long long passes) const {
    if (lane_ != 0) return;
    atomicAdd(&work_.counters->visits, visits);
    atomicAdd(&work_.counters->passes, passes);
  }

 private:
  static __device__ unsigned long long now() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
  }

  __device__ void draw() { ticket_ = __shfl_sync(all_lanes, lane_ == 0 ? work_.draw() : 0u, 0); }

  __device__ void put(bool push, unsigned pushed, std::uint32_t base, std::uint32_t mine) const {
    if (!push) return;
    const auto ticket = base + __popc(pushed & ((1u << lane_) - 1));
    work_.put_back(ticket, work_.put(ticket, mine));
  }

  __device__ void notice(std::uint32_t head, std::uint32_t tail, std::uint32_t gave_up_now) {
    others_wait_ = static_cast<std::int32_t>(tail + work_.tiles - head) < 0;
    gave_up_ = gave_up_now;
    if (limits_.nanoseconds && !gave_up_ && lane_ == 0 && now() - began_ > limits_.nanoseconds)
      give_up(tile_outcome::long_wave);
  }

  __device__ void give_up(tile_outcome why) const {
    word_ref(work_.counters->gave_up).store(static_cast<std::uint32_t>(why), ::cuda::std::memory_order_relaxed);
  }

  const worklist& work_;
  const wave_limits& limits_;
  std::uint32_t across_;
  int lane_;
  unsigned long long began_;
  std::uint32_t ticket_ = 0, handed_ = no_tile, gave_up_ = 0;
  bool others_wait_ = false;
};

}  // namespace macareu::cuda::tiles

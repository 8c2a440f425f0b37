// A warp's interface to the worklist: next tile, wake-ups, termination.
#pragma once

#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/tiles.cuh"
#include "engines/cuda/wave/tiles/relaxed.cuh"
#include "engines/cuda/wave/tiles/worklist.cuh"

namespace macareu::cuda::tiles {

inline constexpr unsigned all_lanes = ~0u;
inline constexpr std::uint32_t no_tile = ~0u;

/// Limits after which a wave is given up as too long; none for a wave that must settle. If most tiles hold no
/// start and workers have waited for some time, the rest of the wave must travel far. It is then given up
/// early.
struct wave_limits {
  float contraction = 0;         // the cycles that it would take, about, where no tile is even
  std::uint32_t few = 0;         // tiles that are open
  std::uint32_t wake_ups = ~0u;  // more of them, and tiles would be visited too often
};

/// How many tiles were open, by the time since first visits had ended: eight samples while it doubles, each
/// in a lane of the warp. Every worker has its own: one that all write and read makes them wait for each
/// other.
class open_history {
 public:
  /// When first visits end.
  __device__ void begin(std::uint32_t open) { open_ = newest_ = open; }
  /// For all lanes. Keeps the first number of every slot; slots without one have that of the slot before.
  /// Returns what it was when half the time had passed.
  __device__ std::uint32_t sample(int lane, long long cycles, std::uint32_t open) {
    const int slot = __shfl_sync(all_lanes, slot_of(cycles), 0);
    if (slot > last_) {
      const int behind = (slot - lane) & 31;
      if (behind < slot - last_) open_ = behind ? newest_ : open;
      newest_ = open;
      last_ = slot;
    }
    return __shfl_sync(all_lanes, open_, (slot - to_half) & 31);
  }

 private:
  static constexpr int to_half = 8;
  /// From 2^13 cycles on, by exponent and three bits of the mantissa.
  static __device__ int slot_of(long long cycles) {
    constexpr int first = (127 + 13) * to_half;
    return static_cast<int>(__float_as_uint(static_cast<float>(cycles)) >> 20) - first;
  }

  int last_ = -1;  // the newest slot
  std::uint32_t newest_ = 0;
  std::uint32_t open_ = 0;  // of the newest slot that has the number of this lane, modulo 32
};

class scheduler {
 public:
  struct turn {
    std::uint32_t tile;
    bool first;      // first visit of this tile; the caller must begin it
    bool unsettled;  // its last visit was cut short
  };

  /// `active`: the calling warp takes part. Where a block visits a tile, one of its warps does.
  __device__ scheduler(const worklist& work, const wave_limits& limits, std::uint32_t across,
                       bool active = true)
      : work_(work),
        limits_(limits),
        across_(across),
        lane_(static_cast<int>(threadIdx.x & 31)),
        began_(now()) {
    if (active) count(0, 0, 1, 0);
  }

  /// True while there is a next tile.
  __device__ bool next(turn& to) {
    if (handed_ != no_tile) {
      to = queued(handed_);
      handed_ = no_tile;
      return true;
    }
    if (!gone_ && !beyond_first_visits_ && ticket_ < work_.tiles) {
      to = {work_.first_visit(ticket_, across_), true, false};
      return true;
    }
    hand_in_counts();
    if (gone_) return false;
    beyond_first_visits_ = true;
    settle_put();
    const auto taken = __shfl_sync(all_lanes, lane_ == 0 ? work_.take(ticket_) : 0u, 0);
    to = queued(taken);
    return taken != worklist::stop;
  }

  /// After a wave is given up, queued tiles are skipped. First visits still run, because they write the
  /// states.
  __device__ bool skips(const turn& at) const { return gave_up_ && !at.first; }
  __device__ bool gave_up() const { return gave_up_; }

  __device__ void visited(unsigned passes) { ++visits_, passes_ += passes; }

  __device__ void found_uneven() const {
    if (limits_.contraction && lane_ == 0)
      word_ref(work_.counters->uneven).fetch_add(1, ::cuda::std::memory_order_relaxed);
  }
  __device__ void found_start_beyond() const {
    if (lane_ == 0) store_relaxed(&work_.counters->beyond, 1u);
  }

  /// Ends a visit or a skipped turn. Wakes the `wanted` of the lanes' tiles `mine` (lanes below 27). Releases
  /// the tile, or queues it again if it is `unsettled`. Keeps one woken tile where other workers wait, which
  /// saves the latency of the queue. Draws the next ticket if it keeps none.
  __device__ void leave(const turn& at, bool visited, unsigned wanted, std::uint32_t mine,
                        bool unsettled = false) {
    constexpr int own = 27, ask_uneven = 27, ask_head = 28, ask_tail = 29, ask_gave_up = 30,
                  ask_finished = 31;
    settle_put();
    const auto* counters = work_.counters;
    std::uint32_t asked = 0;
    if (lane_ >= ask_uneven)
      asked = load_relaxed(lane_ == ask_uneven    ? &counters->uneven
                           : lane_ == ask_head    ? &counters->head
                           : lane_ == ask_tail    ? &counters->tail
                           : lane_ == ask_gave_up ? &counters->gave_up
                                                  : &counters->finished);
    const bool ends = lane_ == own;
    if (ends) mine = at.tile;
    const bool acts = ends ? visited : lane_ < own && (wanted >> lane_ & 1) && mine != no_tile;
    using deed = worklist::deed;
    const auto what = !ends ? deed::wake : unsettled ? deed::end_unsettled : deed::end;
    const auto before = acts ? work_.wake_or_end(mine, what) : tile_state::queued;
    bool push = acts && worklist::must_push(before, what);
    if (ends && unsettled) mine |= worklist::unsettled;
    unsigned pushed = __ballot_sync(all_lanes, push);
    notice(__shfl_sync(all_lanes, asked, ask_head), __shfl_sync(all_lanes, asked, ask_tail),
           __shfl_sync(all_lanes, asked, ask_gave_up), __shfl_sync(all_lanes, asked, ask_finished),
           __shfl_sync(all_lanes, asked, ask_uneven));
    if (gave_up_) pushed = 0, push = false;  // the wave ends here, not where every warp has heard of it
    const int opened = __popc(pushed);
    const int wished = limits_.wake_ups == ~0u ? 0 : __popc(__ballot_sync(all_lanes, acts && !ends));
    if (others_wait_ && pushed) {
      const int kept = __ffs(pushed) - 1;
      handed_ = __shfl_sync(all_lanes, mine, kept);
      pushed &= pushed - 1;
      push = push && lane_ != kept;
    }
    if (lane_ == 31 && handed_ != no_tile) work_.begin(worklist::tile_of(handed_));
    if (others_wait_ && handed_ == no_tile && !stays()) gone_ = true;
    const auto base = count(__popc(pushed), 1 - opened, handed_ == no_tile && !gone_, wished);
    put(push, pushed, base, mine);
    if (last_) {
      publish_fence();  // orders accesses to states and rims before their clearing
      work_.release_all(lane_);
    }
  }

  /// After the last tile, for all threads of the block: clears a share of the memory. `worker`: index of this
  /// warp among the workers, if it is one. The block may report before its stores are visible: the end of the
  /// kernel orders them.
  __device__ void end(std::uint32_t worker, bool active = true) {
    settle_put();
    __syncthreads();
    publish_fence();  // orders `over` before the clearing, and uses of counters before the report
    const std::uint32_t reports = threadIdx.x == 0 ? work_.report() : 0;
    if (active && stays()) work_.clear_share(worker, lane_);
    if (threadIdx.x == 0 && reports + 1 == gridDim.x) work_.tell_host();
  }

 private:
  static __device__ long long now() {
    long long cycles;
    asm volatile("mov.u64 %0, %clock64;" : "=l"(cycles));
    return cycles;
  }

  static __device__ turn queued(std::uint32_t number) {
    return {worklist::tile_of(number), false, (number & worklist::unsettled) != 0};
  }

  __device__ bool stays() const { return blockIdx.x < work_.staying_blocks; }
  /// Runs while the worker is idle, so that the end does not wait for it.
  __device__ void hand_in_counts() {
    if (lane_ == 0 && visits_) work_.add(visits_, passes_);
    visits_ = passes_ = 0;
  }

  /// Updates the counters with one instruction: places at the tail, finished tiles, own ticket, wake-ups.
  /// Returns the first place. A tile is counted before it enters its mailbox, so the work cannot seem done
  /// too early.
  __device__ std::uint32_t count(int places, int finished, int tickets, int wished) {
    auto* c = work_.counters;
    const int amount = lane_ == 0   ? places
                       : lane_ == 1 ? finished
                       : lane_ == 2 ? tickets
                       : lane_ == 3 ? wished
                                    : 0;
    std::uint32_t before = 0;
    if (amount != 0)
      before = word_ref(lane_ == 0   ? c->tail
                        : lane_ == 1 ? c->finished
                        : lane_ == 2 ? c->head
                                     : c->wanted)
                   .fetch_add(static_cast<std::uint32_t>(amount), ::cuda::std::memory_order_relaxed);
    if (lane_ == 3 && before + amount > limits_.wake_ups) work_.give_up();
    last_ = __shfl_sync(all_lanes, amount != 0 && before + amount == work_.tiles, 1);
    if (tickets) ticket_ = __shfl_sync(all_lanes, before, 2);
    return __shfl_sync(all_lanes, before, 0);
  }

  /// Does not wait for the exchange. settle_put checks before the next queue operation whether the mailbox
  /// was empty.
  __device__ void put(bool push, unsigned pushed, std::uint32_t base, std::uint32_t mine) {
    if (!push) return;
    placed_ = base + __popc(pushed & ((1u << lane_) - 1));
    displaced_ = work_.put(placed_, mine);
  }
  __device__ void settle_put() {
    if (displaced_) work_.put_back(placed_, displaced_);
    displaced_ = 0;
  }

  __device__ void notice(std::uint32_t head, std::uint32_t tail, bool gave_up_now, std::uint32_t finished,
                         std::uint32_t uneven) {
    others_wait_ = static_cast<std::int32_t>(tail + work_.tiles - head) < 0;
    gave_up_ = gave_up_now;
    if (limits_.contraction && !gave_up_ && is_too_long(head, work_.tiles - finished, uneven) && lane_ == 0)
      work_.give_up();
  }

  /// Whether contraction should go on, from what the wave has done so far: as lane 0 sees it. It may take
  /// longer the more first visits took, the more contraction would, and the faster open tiles get fewer. A
  /// few that do not get fewer travel. The rule and its numbers: docs/decisions/0012.
  __device__ bool is_too_long(std::uint32_t head, std::uint32_t open, std::uint32_t uneven) {
    constexpr float even = tuning::of_even_tiles;
    const auto time = now();
    const auto whole = static_cast<float>(time - began_);
    if (!first_visits_end_) {
      if (head >= work_.tiles) {
        first_visits_end_ = time;
        history_.begin(open);
      }
      return whole > limits_.contraction;
    }
    const auto earlier = history_.sample(lane_, time - first_visits_end_, open);
    const bool travels = open < limits_.few && open >= earlier;
    const float share = static_cast<float>(uneven) / static_cast<float>(work_.tiles);
    const float most = tuning::of_first_visits * static_cast<float>(first_visits_end_ - began_) +
                       tuning::of_contraction * (travels ? tuning::while_it_travels : 1) *
                           limits_.contraction * (even + (1 - even) * share);
    return whole * whole * static_cast<float>(open) > most * most * static_cast<float>(earlier);
  }

  const worklist& work_;
  const wave_limits& limits_;
  std::uint32_t across_;
  int lane_;
  /// By the multiprocessor's clock, which is read at once. 0: not yet.
  long long began_, first_visits_end_ = 0;
  open_history history_;
  std::uint32_t ticket_ = 0, handed_ = no_tile;
  std::uint32_t placed_ = 0, displaced_ = 0;
  unsigned visits_ = 0, passes_ = 0;  // not handed in yet
  bool gave_up_ = false, others_wait_ = false, last_ = false, gone_ = false;
  /// Tickets wrap around at 2^32, and first visits must not start again. (Every worker draws a ticket long
  /// before that: there are few enough workers to be resident from the start.)
  bool beyond_first_visits_ = false;
};

}  // namespace macareu::cuda::tiles

// A queue of tiles in device memory, and the ownership of tiles.
//
// Queue. A consumer draws a ticket from `head`, a producer from `tail`. Equal tickets meet in a mailbox, slot
// = ticket mod size. The first tickets are the tiles themselves, in the order of their first visits. A
// mailbox holds one tile or none; only exchanges fill and empty it. If tickets wrap around to the mailbox of
// a slow worker, the displaced tile is put back once the mailbox is empty. So no tile is lost or handed out
// twice, whatever the timing.
//
// State of a tile, so that it is in the queue at most once and has one visitor at a time:
//   queued -> running (by its visitor) -> idle, or queued again by the visitor if it was woken meanwhile
//   cut short: -> queued, by the visitor
//   wake: idle -> queued (the waker pushes it), running -> running_woken, else nothing.
// Wake and end each clear one bit; the end of a visit that was cut short clears both. All zeros is the start:
// every tile queued.
//
// Memory order. A visitor publishes rims and pixels, fences, then updates the states of its own tile and of
// its neighbours. The next visitor's exchange on a state is an acquire. Read-modify-writes of one word
// continue a release sequence. So it sees what every earlier visitor and every waker had published.
// The mailbox between a waker and the visitor is relaxed. Their exchanges are still ordered, by data
// dependence: the result of the waker's own exchange decides whether it puts the tile into a mailbox.
// (Waking neighbours before the pixels are stored, with a fence for each, was slower: one flood from a seed
// took twice as long.)
//
// Termination. The worker that finishes the last tile sets `over`, which waiting workers poll. No tile is
// visited any more, and all mailboxes are empty. Every worker clears its share of states and rims. The last
// block to report clears the counters. All memory is then zero again, as at the start.
// Nothing touches a state after it is cleared, by data dependence: the results of wake_or_end and begin are
// used before the tile counts as finished. They must not become atomic operations without a result. Clearing
// uses plain stores, which no thread reads before the next kernel. The exception is a worker in `take` that
// lost its tile to another: it writes the zero once more.
//
// Blocks that do not stay exit when workers begin to wait, because waiting workers slow down the others. No
// worker depends on another being resident: any few that the GPU runs at a time visit all tiles.
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "engines/cuda/runtime/message.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/tiles.cuh"

namespace macareu::cuda::tiles {

using word_ref = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

/// Orders what a visitor publishes before its updates of tile states. Cheaper than __threadfence, which is
/// sequentially consistent.
__device__ inline void publish_fence() {
  ::cuda::atomic_thread_fence(::cuda::std::memory_order_acq_rel, ::cuda::thread_scope_device);
}

struct tile_state {
  static constexpr std::uint32_t queued = 0, idle = 1, running_woken = 2, running = 3;
};

/// Counters have their own cache lines.
struct worklist_counters {
  alignas(128) std::uint32_t head;
  alignas(128) std::uint32_t tail;
  alignas(128) std::uint32_t finished;  // the tiles that are neither queued nor running
  alignas(128) std::uint32_t gave_up;
  alignas(128) std::uint32_t uneven;  // tiles of several capacities, among those that were visited
  alignas(128) std::uint32_t beyond;  // a start lies beyond its capacity, or is NaN
  alignas(128) std::uint32_t wanted;  // wake-ups, also of tiles that were queued already
  alignas(128) unsigned long long visits;
  unsigned long long passes;
  std::uint32_t reports;
  /// All tiles are finished. Several copies distribute the polling of waiting workers.
  struct alignas(128) notice {
    std::uint32_t given;
  };
  static constexpr std::uint32_t notices = tuning::end_notices;
  notice over[notices];

  __device__ void clear() {
    head = tail = finished = gave_up = uneven = beyond = wanted = reports = 0;
    visits = passes = 0;
#pragma unroll
    for (auto& each : over) each.given = 0;
  }
};

/// What the host wants to know.
struct wave_summary {
  unsigned long long visits, passes;
  bool gave_up, beyond;
};

struct worklist {
  static constexpr std::uint32_t stop = ~0u;  // in place of a tile: there will be no more
  /// Flag in the number of a queued tile: its last visit was cut short.
  static constexpr std::uint32_t unsettled = 1u << 31;
  static __device__ std::uint32_t tile_of(std::uint32_t queued) { return queued & ~unsettled; }

  worklist_counters* counters;
  std::uint32_t* states;
  std::uint32_t* mailboxes;  // tile + 1, with its mark if it is unsettled, or 0
  std::uint32_t mask;        // mailboxes - 1: a power of two, at least tiles + workers
  std::uint32_t tiles;
  std::uint32_t staying_workers, staying_blocks;  // the first ones
  uint4* to_clear;                                // states and rims
  std::int64_t vectors_to_clear;
  message<wave_summary>* to_host;

  __device__ word_ref mailbox(std::uint32_t ticket) const { return word_ref(mailboxes[ticket & mask]); }

  /// Takes the tile that the ticket stands for, and begins its visit; waits where it is not there yet.
  /// Returns the tile, `unsettled` if it is, or `stop`. A tile is begun while the exchange that makes it ours
  /// is on its way. Should another worker have taken it, nothing is lost: see begin. If that worker was so
  /// far ahead that all has ended since, the state may have been cleared before, and is cleared again.
  __device__ std::uint32_t take(std::uint32_t ticket) const {
    const auto box = mailbox(ticket - tiles);
    const word_ref over(counters->over[blockIdx.x % worklist_counters::notices].given);
    for (;;) {
      std::uint32_t seen = box.load(::cuda::std::memory_order_relaxed);
      while (!seen) {
        __nanosleep(tuning::sleep_nanoseconds);
        const auto ended = over.load(::cuda::std::memory_order_relaxed);
        seen = box.load(::cuda::std::memory_order_relaxed);
        if (ended) return stop;
      }
      const auto found = box.exchange(0, ::cuda::std::memory_order_relaxed);
      begin(tile_of(seen - 1));
      if (found) {
        if (found != seen) begin(tile_of(found - 1));
        return found - 1;
      }
      // Not `over`: another worker may have seen a copy of it that is not visible here yet.
      if (word_ref(counters->finished).load(::cuda::std::memory_order_relaxed) == tiles)
        word_ref(states[tile_of(seen - 1)]).store(0, ::cuda::std::memory_order_relaxed);
    }
  }

  /// Returns the displaced content of the mailbox, nearly always 0. The caller passes it to put_back later.
  __device__ std::uint32_t put(std::uint32_t ticket, std::uint32_t tile) const {
    return mailbox(ticket).exchange(tile + 1, ::cuda::std::memory_order_relaxed);
  }
  __device__ void put_back(std::uint32_t ticket, std::uint32_t displaced) const {
    for (std::uint32_t empty = 0; displaced; empty = 0)
      if (mailbox(ticket).compare_exchange_weak(empty, displaced, ::cuda::std::memory_order_relaxed)) return;
  }

  /// Only a queued tile changes its state. A tile begun by a worker that did not get it stays running for its
  /// true visitor. If it is woken meanwhile, it is visited once more.
  __device__ void begin(std::uint32_t tile) const {
    std::uint32_t expected = tile_state::queued;
    word_ref(states[tile])
        .compare_exchange_strong(expected, tile_state::running, ::cuda::std::memory_order_acquire,
                                 ::cuda::std::memory_order_acquire);
  }
  enum class deed { wake, end, end_unsettled };
  /// Waking a tile and ending its visit are the same instruction, so that the lanes of a warp do both at
  /// once.
  __device__ std::uint32_t wake_or_end(std::uint32_t tile, deed what) const {
    const auto left = what == deed::wake ? ~1u : what == deed::end ? ~2u : ~3u;
    return word_ref(states[tile]).fetch_and(left, ::cuda::std::memory_order_relaxed);
  }
  /// Must the caller push the tile? After a wake: if it was idle. After an end: if it was woken meanwhile, or
  /// has not settled.
  static __device__ bool must_push(std::uint32_t state_before, deed what) {
    return what == deed::end_unsettled ||
           state_before == (what == deed::end ? tile_state::running_woken : tile_state::idle);
  }

  /// All tiles are finished: releases the waiting workers. Called by all lanes of a warp.
  __device__ void release_all(std::uint32_t lane) const {
    if (lane < worklist_counters::notices)
      word_ref(counters->over[lane].given).store(1, ::cuda::std::memory_order_relaxed);
  }

  __device__ void clear_share(std::uint32_t worker, int lane) const {
    for (auto i = std::int64_t{worker} * 32 + lane; i < vectors_to_clear;
         i += std::int64_t{staying_workers} * 32)
      to_clear[i] = uint4{};
  }

  /// Gives up a wave that is too long. Announces it to the host at once, so that the next launch is ready at
  /// the kernel's end.
  __device__ void give_up() const {
    store_relaxed(&counters->gave_up, 1u);
    to_host->announce();
  }

  __device__ void add(unsigned long long visits, unsigned long long passes) const {
    atomicAdd(&counters->visits, visits);
    atomicAdd(&counters->passes, passes);
  }
  /// This block does not touch the counters any more. Returns the number of earlier reports.
  __device__ std::uint32_t report() const {
    return word_ref(counters->reports).fetch_add(1, ::cuda::std::memory_order_relaxed);
  }
  /// Called when all blocks have reported.
  __device__ void tell_host() const {
    publish_fence();
    const auto told = [](std::uint32_t& word) {
      return word_ref(word).load(::cuda::std::memory_order_relaxed) != 0;
    };
    to_host->send({atomicAdd(&counters->visits, 0ull), atomicAdd(&counters->passes, 0ull),
                   told(counters->gave_up), told(counters->beyond)});
    counters->clear();
  }

  /// Checkerboard order: the neighbours of the second half of the tiles have published before it is visited.
  __device__ std::uint32_t first_visit(std::uint32_t ticket, std::uint32_t across) const {
    const std::uint32_t half = (tiles + 1) / 2;
    const bool second = ticket >= half;
    const std::uint32_t pair = second ? ticket - half : ticket;
    if (across % 2) return 2 * pair + second;
    return 2 * pair + ((2 * pair / across + second) & 1);
  }
};

}  // namespace macareu::cuda::tiles

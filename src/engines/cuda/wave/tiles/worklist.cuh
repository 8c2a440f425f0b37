// A queue of tiles in device memory, and who may hold a tile.
//
// Queue. A worker that wants a tile draws a ticket from `head`, one that brings one draws from `tail`; equal
// tickets meet in a mailbox, slot = ticket mod size. The first tickets are the tiles themselves, in the order
// of their first visits. A mailbox holds one tile or nothing, and is filled and emptied by exchanges alone.
// Should a worker be so slow that tickets come round to its mailbox again, the tile that was displaced is put
// back once the mailbox is empty: none is lost or given twice, whatever the timing.
//
// State of a tile, so that it is in the queue at most once and never visited twice at a time:
//   queued -> running (by its visitor) -> idle, or queued again by the visitor if it was woken meanwhile
//   wake: idle -> queued (the waker pushes it), running -> running_woken, else nothing.
// All zero at the start: every tile is queued.
//
// Memory order. A visitor publishes rims and pixels, then fences, then releases its own tile's state and
// touches its neighbours' states. The next visitor's exchange on that state is an acquire: read-modify-writes
// of one word carry a release on, so it sees what every earlier visitor and every waker had published.
#pragma once

#include <cuda/atomic>

#include <cstdint>

namespace macareu::cuda::tiles {

using word_ref = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

struct tile_state {
  static constexpr std::uint32_t queued = 0, idle = 1, running_woken = 2, running = 3;
};

/// Each counter in a cache line of its own.
struct worklist_counters {
  alignas(128) std::uint32_t head;
  alignas(128) std::uint32_t tail;
  alignas(128) std::int32_t finished;  // minus the tiles that are queued or running, counted from their number
  alignas(128) std::uint32_t gave_up;  // a tile_outcome
  alignas(128) std::uint32_t without_start;
  alignas(128) unsigned long long visits;
  unsigned long long passes;
};

struct worklist {
  static constexpr std::uint32_t stop = ~0u;  // in a mailbox: there will be no more

  worklist_counters* counters;
  std::uint32_t* states;
  std::uint32_t* mailboxes;  // tile + 1, stop, or 0
  std::uint32_t mask;        // mailboxes - 1: a power of two, at least tiles + workers
  std::uint32_t tiles, workers;

  __device__ word_ref mailbox(std::uint32_t ticket) const { return word_ref(mailboxes[ticket & mask]); }

  __device__ std::uint32_t draw() const {
    return word_ref(counters->head).fetch_add(1, ::cuda::std::memory_order_relaxed);
  }

  /// Takes what the ticket stands for; waits where it is not there yet. Returns the tile, or `stop`.
  __device__ std::uint32_t take(std::uint32_t ticket, bool& waited) const {
    const auto box = mailbox(ticket - tiles);
    for (waited = false;; waited = true) {
      if (box.load(::cuda::std::memory_order_relaxed)) {
        const auto found = box.exchange(0, ::cuda::std::memory_order_relaxed);
        if (found) return found == stop ? stop : found - 1;
      }
      __nanosleep(20);
    }
  }

  /// What lay in the mailbox, nearly always nothing: to be passed to put_back, some time later.
  __device__ std::uint32_t put(std::uint32_t ticket, std::uint32_t tile) const {
    return mailbox(ticket).exchange(tile + 1, ::cuda::std::memory_order_relaxed);
  }
  __device__ void put_back(std::uint32_t ticket, std::uint32_t displaced) const {
    for (std::uint32_t empty = 0; displaced; empty = 0)
      if (mailbox(ticket).compare_exchange_weak(empty, displaced, ::cuda::std::memory_order_relaxed)) return;
  }

  __device__ std::uint32_t draw_places(std::uint32_t count) const {
    return word_ref(counters->tail).fetch_add(count, ::cuda::std::memory_order_relaxed);
  }

  /// True if the caller must push it.
  __device__ bool wake(std::uint32_t tile) const {
    return word_ref(states[tile]).fetch_and(~1u, ::cuda::std::memory_order_relaxed) == tile_state::idle;
  }
  __device__ void begin(std::uint32_t tile) const {
    word_ref(states[tile]).exchange(tile_state::running, ::cuda::std::memory_order_acquire);
  }
  /// True if the tile was woken meanwhile: it is queued again, and the caller must push it.
  __device__ bool end(std::uint32_t tile) const {
    std::uint32_t expected = tile_state::running;
    const word_ref state(states[tile]);
    if (state.compare_exchange_strong(expected, tile_state::idle, ::cuda::std::memory_order_relaxed))
      return false;
    state.store(tile_state::queued, ::cuda::std::memory_order_relaxed);
    return true;
  }

  /// `more` tiles were queued and one was finished; true for the caller that finished the last. Tiles are
  /// counted before they are in their mailbox.
  __device__ bool count(int more) const {
    using count_ref = ::cuda::atomic_ref<std::int32_t, ::cuda::thread_scope_device>;
    const int change = 1 - more;
    if (change == 0) return false;
    return count_ref(counters->finished).fetch_add(change, ::cuda::std::memory_order_relaxed) + change ==
           static_cast<std::int32_t>(tiles);
  }

  /// Nothing is open: every worker waits, or will, at one of the next tickets. `first` and `step` share the
  /// work among the caller's lanes.
  __device__ void release_all(std::uint32_t first, std::uint32_t step) const {
    const auto tail = word_ref(counters->tail).load(::cuda::std::memory_order_relaxed);
    for (auto i = first; i < workers; i += step)
      mailbox(tail + i).store(stop, ::cuda::std::memory_order_relaxed);
  }

  /// Visits in a checkerboard first: a tile's neighbours have published when it is visited.
  __device__ std::uint32_t first_visit(std::uint32_t ticket, std::uint32_t across) const {
    const std::uint32_t half = (tiles + 1) / 2;
    const bool second = ticket >= half;
    const std::uint32_t pair = second ? ticket - half : ticket;
    if (across % 2) return 2 * pair + second;
    return 2 * pair + ((2 * pair / across + second) & 1);
  }
};

}  // namespace macareu::cuda::tiles

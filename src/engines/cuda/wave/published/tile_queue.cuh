// A FIFO queue of tiles, without locks and without the host, for blocks of one warp.
//
// A mark holds the state of its tile: idle, waiting, running, or running and woken again. Only a wake that
// finds the tile idle puts it in the ring, so the ring holds a tile at most once. `open` counts tiles that
// wait or run. It rises before a tile can be taken and falls when a visit ends. So it reaches 0 once, when no
// work is left. The warp that lowers it to 0 stores a stop token for every other warp.
//
// The ring has at least as many slots as tiles and warps together. A ticket selects a slot: a producer waits
// until it is empty, a consumer until it is full. A ticket of a later lap of the ring is harmless: tokens of
// a slot may change hands. None is overwritten, and as many are taken as are put.
//
// No update is lost. A visit marks its tile running, fences, then reads its own and its neighbours' pixels.
// It writes its own pixels, fences, then wakes. If a wake finds the neighbour idle or waiting, the
// neighbour's exchange comes later and its reads see the pixels. If it finds the neighbour running, the
// neighbour is visited once more.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/published/improve.cuh"

namespace macareu::cuda {

/// Counters have their own cache lines.
struct tile_counters {
  alignas(128) unsigned long long taken;
  alignas(128) unsigned long long put;
  alignas(128) unsigned long long open;
  alignas(128) unsigned long long visits;
  unsigned long long passes;
};

struct tile_queue {
  static constexpr unsigned empty = ~0u, stop = empty - 1;
  static constexpr unsigned idle = 0, waiting = 1, running = 2;

  unsigned* marks;
  unsigned* ring;
  unsigned long long ring_mask;
  tile_counters* counters;

  /// All functions are called by whole warps. Returns the next tile, marked as running, or `stop`.
  __device__ unsigned take() const {
    unsigned tile = stop;
    if (threadIdx.x == 0) {
      tile = wait_for(ring + (atomicAdd(&counters->taken, 1ull) & ring_mask));
      if (tile != stop) atomicExch(marks + tile, running);
      __threadfence();
    }
    tile = __shfl_sync(whole_warp, tile, 0);
    __syncwarp();
    return tile;
  }

  /// One tile a lane. Returns the number of lanes with `mine`. Their tiles count as open before the first can
  /// be taken. `finish` subtracts those that were not put in the ring.
  __device__ unsigned announce(bool mine) const {
    const unsigned count = static_cast<unsigned>(__popc(__ballot_sync(whole_warp, mine)));
    if (threadIdx.x == 0 && count > 0) atomicAdd(&counters->open, static_cast<unsigned long long>(count));
    return count;
  }

  /// Call after `announce` and after storing the pixels that others must see. Returns the number of tiles put
  /// in the ring.
  __device__ unsigned wake(bool mine, unsigned tile) const {
    __syncwarp();
    __threadfence();
    return put(mine && atomicOr(marks + tile, waiting) == idle, tile);
  }

  /// Ends a visit that announced and then put so many tiles. True if it was the last of all.
  __device__ bool finish(unsigned tile, unsigned announced, unsigned woken) const {
    bool again = false;
    if (threadIdx.x == 0) again = (atomicAnd(marks + tile, ~running) & waiting) != 0;
    const unsigned long long over = 1ull + announced - woken - put(again, tile);
    bool last = false;
    if (threadIdx.x == 0 && over > 0) last = atomicAdd(&counters->open, 0ull - over) == over;
    last = __shfl_sync(whole_warp, last, 0);
    if (last) stop_the_others();
    return last;
  }

 private:
  __device__ static unsigned wait_for(unsigned* slot) {
    for (;; __nanosleep(tuning::sleep_nanoseconds)) {
      if (relaxed_load(slot) == empty) continue;
      const unsigned tile = atomicExch(slot, empty);
      if (tile != empty) return tile;
    }
  }

  __device__ unsigned put(bool mine, unsigned tile) const {
    const unsigned who = __ballot_sync(whole_warp, mine);
    if (who == 0) return 0;
    const auto count = static_cast<unsigned>(__popc(who));
    unsigned long long ticket = 0;
    if (threadIdx.x == 0) ticket = atomicAdd(&counters->put, static_cast<unsigned long long>(count));
    ticket =
        __shfl_sync(whole_warp, ticket, 0) + static_cast<unsigned>(__popc(who & ((1u << threadIdx.x) - 1)));
    if (mine)
      while (atomicCAS(ring + (ticket & ring_mask), empty, tile) != empty)
        __nanosleep(tuning::sleep_nanoseconds);
    return count;
  }

  /// No tile waits or runs, so all slots are and stay empty: stores suffice.
  __device__ void stop_the_others() const {
    const unsigned long long first = relaxed_load(&counters->put);
    for (unsigned i = threadIdx.x; i + 1 < gridDim.x; i += 32)
      relaxed_store(ring + ((first + i) & ring_mask), stop);
  }
};

/// A queue's memory: all tiles idle, the ring empty.
class tile_queue_memory {
 public:
  tile_queue_memory(const gpu& on, std::int64_t tiles, std::int64_t warps)
      : marks_(on, tiles),
        ring_(on, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tiles + warps)))),
        counters_(on, 1) {
    marks_.fill_bytes(0);
    ring_.fill_bytes(0xff);
    counters_.fill_bytes(0);
  }

  tile_queue queue() const {
    return {marks_.data(), ring_.data(), static_cast<unsigned long long>(ring_.size() - 1), counters_.data()};
  }
  tile_counters counters(const gpu& on) const { return fetch(on, counters_.data()); }

 private:
  device_array<unsigned> marks_, ring_;
  device_array<tile_counters> counters_;
};

}  // namespace macareu::cuda

// Strategy queue (Teodoro et al. 2013, IWPP): fronts of pixels. The pixels of a front offer their states to
// their neighbours. Those that take an offer form the next front.
//
// No update is lost: a pixel takes an offer by compare-and-swap (improve.cuh) and passes it on in the next
// front, after a grid barrier. A stamp per pixel holds the number of its last front. So a pixel is in a front
// at most once, and a front never outgrows the image.
//
// Rounds run inside one kernel. Between launches the host only checks whether to stop.
//
// Memory: 12 bytes a pixel (20 where pixels outnumber 32-bit indices).
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/ceil_div.hpp"
#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/published/improve.cuh"
#include "engines/cuda/wave/published/rule_inputs.cuh"

namespace macareu::cuda {

struct front_counters {
  unsigned long long size[3];  // of front n: [n % 3]
  unsigned next;               // the front to begin with
};

template <class Index>
struct pixel_fronts {
  Index *even, *odd;
  unsigned* stamps;
  front_counters* counters;

  __device__ Index* pixels(unsigned front) const { return front % 2 ? odd : even; }

  /// One atomic for all converged threads.
  __device__ void put(unsigned front, Index pixel) const {
    const auto together = cooperative_groups::coalesced_threads();
    unsigned long long first = 0;
    if (together.thread_rank() == 0)
      first = atomicAdd(&counters->size[front % 3], static_cast<unsigned long long>(together.size()));
    pixels(front)[together.shfl(first, 0) + together.thread_rank()] = pixel;
  }
};

template <class Index, class T>
__device__ site site_of(Index pixel, const view<T>& image) {
  const auto width = static_cast<Index>(image.width), height = static_cast<Index>(image.height);
  const Index row = pixel / width;
  return {static_cast<std::int64_t>(row / height), static_cast<std::int64_t>(row % height),
          static_cast<std::int64_t>(pixel % width)};
}

template <class Index, class T>
__device__ Index index_of(site p, const view<T>& image) {
  return static_cast<Index>((p.z * image.height + p.y) * image.width + p.x);
}

/// Front 1: the pixels that can improve a neighbour. Runs before any write.
template <class Index, class Rule, class State, class... In>
__global__ void find_first_front(pixel_fronts<Index> fronts, Rule rule, neighbourhood near, view<State> state,
                                 view<const In>... in) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < state.pixels();
       i += threads) {
    const site p = site_of(static_cast<Index>(i), state);
    bool gives = false;
    near.for_each(p, [&](site q) {
      if (gives || !state.contains(q)) return;
      State held = state[q];
      gives = take(rule, held, state[p], p, q, read_inputs(q, in...));
    });
    if (gives) fronts.put(1, static_cast<Index>(i));
  }
}

template <class Index, class Rule, class State, class... In>
__device__ void spread_from(site p, unsigned front, const pixel_fronts<Index>& fronts, const Rule& rule,
                            const neighbourhood& near, const view<State>& state,
                            const view<const In>&... in) {
  const State given = relaxed_load(&state[p]);
  near.for_each(p, [&](site q) {
    if (!state.contains(q)) return;
    const State offer = offer_of(rule, given, p, q, read_inputs(q, in...));
    if (!improve(rule, &state[q], offer, q)) return;
    const auto pixel = index_of<Index>(q, state);
    if (atomicExch(fronts.stamps + pixel, front + 1) != front + 1) fronts.put(front + 1, pixel);
  });
}

/// At most `rounds` fronts. The counter two fronts ahead is unused and cleared in advance, so one barrier a
/// front is enough.
template <class Index, class Rule, class State, class... In>
__global__ void spread_fronts(unsigned rounds, pixel_fronts<Index> fronts, Rule rule, neighbourhood near,
                              view<State> state, view<const In>... in) {
  const auto everyone = cooperative_groups::this_grid();
  front_counters& counters = *fronts.counters;
  unsigned front = relaxed_load(&counters.next);
  for (const unsigned end = front + rounds; front != end; ++front) {
    const unsigned long long size = relaxed_load(&counters.size[front % 3]);
    if (size == 0) break;
    if (everyone.thread_rank() == 0) relaxed_store(&counters.size[(front + 2) % 3], 0ull);
    const Index* pixels = fronts.pixels(front);
    for (unsigned long long i = everyone.thread_rank(); i < size; i += everyone.size())
      spread_from(site_of(pixels[i], state), front, fronts, rule, near, state, in...);
    everyone.sync();
  }
  everyone.sync();
  if (everyone.thread_rank() == 0) counters.next = front;
}

template <class Index, class Rule, class State, class... In>
void run_fronts(const gpu& on, Rule rule, neighbourhood near, view<State> state, view<const In>... in) {
  constexpr int threads = tuning::queue_threads;
  const std::int64_t pixels = state.pixels();
  const device_array<Index> even(on, pixels), odd(on, pixels);
  const device_array<unsigned> stamps(on, pixels);
  const device_array<front_counters> counters(on, 1);
  stamps.fill_bytes(0);
  const front_counters first{{0, 0, 0}, 1};
  check(cudaMemcpyAsync(counters.data(), &first, sizeof(first), cudaMemcpyHostToDevice, on.stream),
        "cudaMemcpyAsync");
  pixel_fronts<Index> fronts{even.data(), odd.data(), stamps.data(), counters.data()};

  const auto spread = spread_fronts<Index, Rule, State, In...>;
  int blocks_at_once = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_once, spread, threads, 0),
        "occupancy of spread_fronts");
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(
      ceil_div(pixels, threads),
      std::int64_t{std::min(tuning::queue_blocks, blocks_at_once)} * on.multiprocessors));
  find_first_front<<<blocks * tuning::first_front_blocks, threads, 0, on.stream>>>(fronts, rule, near, state,
                                                                                   in...);
  on.launched("find_first_front");

  unsigned rounds = tuning::rounds_of_a_launch;
  void* arguments[] = {&rounds, &fronts, &rule, &near, &state, &in...};
  front_counters reached = first;
  do {
    on.work.check_stop();
    check(cudaLaunchCooperativeKernel(spread, dim3(blocks), dim3(threads), arguments, 0, on.stream),
          "spread_fronts");
    on.launched("spread_fronts");
    reached = fetch(on, counters.data());
  } while (reached.size[reached.next % 3] != 0);
  on.work.report.rounds = static_cast<std::int64_t>(reached.next) - 1;
}

/// The state already holds the start. Runs to the fixed point; report: rounds (fronts).
template <class Rule, class State, class... In>
void queue(const gpu& on, const Rule& rule, const neighbourhood& near, view<State> state,
           view<const In>... in) {
  if (state.pixels() == 0) return;
  if (state.pixels() <= std::numeric_limits<std::uint32_t>::max())
    return run_fronts<std::uint32_t>(on, rule, near, state, in...);
  run_fronts<std::uint64_t>(on, rule, near, state, in...);
}

}  // namespace macareu::cuda

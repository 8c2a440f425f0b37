// Contraction inside a tile: rounds of hooking and finalising until what is left depends on other tiles.
#pragma once

#include "core/ceil_div.hpp"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/contraction/tile_edges.cuh"
#include "engines/cuda/wave/contraction/tile_load.cuh"

namespace macareu::cuda::contraction {

template <class Key, class Shape>
struct tile_rounds {
  using memory = tile_memory<Key, Shape>;
  using best = best_edges<Key, Shape>;
  using edge = tile_edge<Shape>;
  using word = word_of<Key>;
  using link = basin_link<Key>;
  static constexpr uint32_t number = 0x7fffu;  // of a component, without final_basin

  /// Few basins and edges are contracted by the first half of the threads, which have the rim: barriers of
  /// fewer warps are cheaper, and other blocks use the time. After such a barrier racecheck no longer follows
  /// those of the whole block, and reports hazards across them. For that tool alone (MACAREU_RACECHECK) all
  /// threads take part.
#if defined(MACAREU_RACECHECK)
  static constexpr int few_threads = Shape::threads;
#else
  static constexpr bool halves =
      Shape::threads >= tuning::threads_worth_halving && Shape::rim_entries <= Shape::threads / 2;
  static constexpr int few_threads = halves ? Shape::threads / 2 : Shape::threads;
#endif
  static constexpr uint32_t few = tuning::basins_of_a_thread * few_threads;  // basins, and edges

  uint32_t basins = 0;
  uint32_t first_listed = 0, listed = 0;  // the warp's part of the list of edges
  bool all_listed = false;  // else the list overflowed, and every round searches the boundaries again
  bool are_few = false;     // basins and edges
  Key leaving[Shape::rim_per_thread];  // potentials of the thread's rim entries

  __device__ static int rim_pixel_of(int k) {
    const step s = Shape::rim_site(threadIdx.x + k * Shape::threads);
    return Shape::offset(s);
  }
  __device__ static bool has_rim(int k) { return threadIdx.x + k * Shape::threads < Shape::rim_entries; }

  __device__ void load_rim(const bottleneck_problem<Key>& problem, const tile_window<Shape>& window) {
#pragma unroll
    for (int k = 0; k < Shape::rim_per_thread; ++k)
      leaving[k] =
          has_rim(k) ? potential<Key, Shape>(problem, window, threadIdx.x + k * Shape::threads) : Key{0};
  }

  __device__ void start() {
    basins = memory::basin_count();
    for (uint32_t b = threadIdx.x; b < basins; b += Shape::threads) {
      memory::marker()[b] = 0;
      best::clear(b);
      memory::links()[b] = link::self(b);
    }
    __syncthreads();
  }

  /// Raises each basin's marker to its best start. Zeros have no effect, and most images have few others.
  __device__ static void collect_markers(const tile_starts<Key, Shape>& starts) {
#pragma unroll
    for (int k = 0; k < tile_starts<Key, Shape>::packs; ++k) {
      const auto key = as_keys<Key>(starts.at[k]);
      const auto label = *reinterpret_cast<const pack<uint16_t, 4>*>(&memory::label()[starts.first_pixel(k)]);
      uint32_t basin = label.at[0];
      word most = key.at[0];
#pragma unroll
      for (int i = 1; i < 4; ++i) {
        const word value = key.at[i];
        if (label.at[i] == basin) {
          most = max(most, value);
        } else {
          if (most) raise_shared(&memory::marker()[basin], most);
          basin = label.at[i];
          most = value;
        }
      }
      raise_together(memory::marker(), basin, most);
    }
    __syncthreads();
  }

  __device__ static uint32_t component(uint32_t basin) { return memory::links()[basin].to(); }
  __device__ static Key weight(const edge& e) { return min(memory::capacity(e.p), memory::capacity(e.q)); }

  /// An edge no better than the markers of both sides can never matter.
  __device__ static bool matters(uint32_t a, uint32_t b, Key weight) {
    return a != b && !(a & b & final_basin) &&
           (weight > memory::marker()[a & number] || weight > memory::marker()[b & number]);
  }

  /// Lists the edges that matter. `First`: every basin is a component, none is final.
  template <bool First>
  __device__ void list_edges() {
    if (basins > 1)
      over_boundaries<Key, Shape>([](uint32_t basin) { return First ? basin : component(basin); },
                                  [](bool there, uint32_t a, uint32_t b, Key weight, uint32_t) {
                                    if constexpr (!First) return there && matters(a, b, weight);
                                    // As `matters`, without a branch.
                                    const word least =
                                        min(memory::marker()[there ? a : 0], memory::marker()[there ? b : 0]);
                                    return there && weight > least;
                                  },
                                  list_edges_of<Key, Shape>);
    __syncthreads();
    const uint32_t edges = memory::list_count();
    all_listed = edges <= memory::list_capacity;
    are_few = few_threads < Shape::threads && basins <= few && edges <= few;
    const uint32_t threads = are_few ? few_threads : Shape::threads, part = ceil_div(edges, threads) * 32;
    first_listed = threadIdx.x / 32 * part;
    listed = first_listed < edges ? min(part, edges - first_listed) : 0;
  }

  /// Offers an edge to its two components. False: the edge is dead. Edges to final components raise markers
  /// concurrently; a stale marker keeps an edge alive for one more round.
  __device__ static bool offer(uint32_t a, uint32_t b, Key weight, uint32_t name) {
    if (a == b) return false;
    word* const marker_a = &memory::marker()[a & number];
    word* const marker_b = &memory::marker()[b & number];
    const word at_a = peek(marker_a), at_b = peek(marker_b);
    if (weight <= at_a && weight <= at_b) return false;
    if ((a | b) & final_basin) {
      if (a & b & final_basin) return false;
      if (a & final_basin)
        raise_shared(marker_b, min(static_cast<word>(weight), at_a));
      else
        raise_shared(marker_a, min(static_cast<word>(weight), at_b));
      return false;
    }
    best::offer(a, b, weight, name);
    return true;
  }

  /// Compacts the warp's part of the list to the edges alive.
  __device__ void offer_listed() {
    auto* const list = memory::list() + first_listed;
    const uint32_t lane = threadIdx.x % 32;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < listed; k += 32) {
      uint32_t name = 0;
      bool alive = k + lane < listed;
      if (alive) {
        name = list[k + lane];
        const edge e(name);
        alive = offer(component(memory::label()[e.p]), component(memory::label()[e.q]), weight(e), name);
      }
      __syncwarp();
      const uint32_t stay = __ballot_sync(all_lanes, alive);
      if (alive) list[kept + __popc(stay & ((1u << lane) - 1))] = name;
      kept += __popc(stay);
    }
    listed = kept;
  }
  template <class Visit>
  __device__ void over_listed(Visit&& visit) const {
    for (uint32_t k = threadIdx.x % 32; k < listed; k += 32) visit(memory::list()[first_listed + k]);
  }

  template <int Threads>
  __device__ void offer_edges() {
    if (Threads < Shape::threads || all_listed) {
      offer_listed();
    } else {
      over_boundaries<Key, Shape>(component, offer);
    }
#pragma unroll
    for (int k = 0; k < Shape::rim_per_thread; ++k) {
      if (!has_rim(k)) continue;
      const uint32_t c = component(memory::label()[rim_pixel_of(k)]);
      raise_together(memory::best(), c & number, c & final_basin ? word{0} : best::offer_of(leaving[k], 0));
    }
    sync_first<Threads, Shape::threads>();
  }

  /// Among the best edges of a component, the one with the largest tag.
  template <int Threads>
  __device__ void settle_ties() const {
    const auto settle = [](uint32_t a, uint32_t b, Key weight, uint32_t name) {
      if (a != b && !((a | b) & final_basin)) best::settle(a, b, weight, name);
    };
    if (Threads < Shape::threads || all_listed) {
      over_listed([&](uint32_t name) {
        const edge e(name);
        settle(component(memory::label()[e.p]), component(memory::label()[e.q]), weight(e), name);
      });
    } else {
      over_boundaries<Key, Shape>(component, settle);
    }
    sync_first<Threads, Shape::threads>();
  }

  /// Makes components final, hooks them, or leaves them open for other tiles. Of two that would hook on each
  /// other the lower number stays.
  template <int Threads>
  __device__ bool decide() const {
    bool changed = false;
    for (uint32_t c = threadIdx.x; c < basins; c += Threads) {
      if (component(c) != c) continue;
      const Key weight = best::weight(c);
      const uint32_t tag = best::tag(c);
      link next = link::self(c);
      if (memory::marker()[c] >= weight) {
        next = link::self(c | final_basin);
        changed = true;
      } else if (tag != 0) {
        const edge e(name_of(tag));
        const uint32_t a = component(memory::label()[e.p]), b = component(memory::label()[e.q]);
        const uint32_t other = a == c ? b : a;
        const bool mutual =
            best::weight(other) == weight && best::tag(other) == tag && memory::marker()[other] < weight;
        if (!mutual || c > other) {
          next = link::of(weight, other);
          changed = true;
        }
      }
      memory::next()[c] = next;
    }
    return changed;
  }

  /// Updates each basin's root. Roots take over the markers of the components hooked on them.
  template <int Threads>
  __device__ void follow_hooks() const {
    // Where edges are few, the other threads may still read it.
    if (Threads == Shape::threads && threadIdx.x == 0) memory::list_count() = 0;
    for (uint32_t b = threadIdx.x; b < basins; b += Threads) {
      const link before = memory::links()[b];
      uint32_t root = before.to() & number;
      Key weight = before.weight();
      link next = memory::next()[root];
      while ((next.to() & number) != root) {
        weight = min(weight, next.weight());
        root = next.to();
        next = memory::next()[root];
      }
      memory::links()[b] = link::of(weight, next.to());
      if (before.to() == b && root != b && !(next.to() & final_basin))
        atomicMax(&memory::marker()[root], memory::marker()[b]);
      best::clear(b);
    }
    sync_first<Threads, Shape::threads>();
  }

  template <int Threads>
  __device__ void contract() {
    while (true) {
      offer_edges<Threads>();
      if constexpr (!best::one_pass) settle_ties<Threads>();
      if (!sync_first_or<Threads, Shape::threads>(decide<Threads>())) return;
      follow_hooks<Threads>();
      if constexpr (Threads == Shape::threads)
        if (!all_listed) list_edges<false>();
    }
  }

  __device__ void run() {
    list_edges<true>();
    if constexpr (few_threads < Shape::threads)
      if (are_few) {
        if (threadIdx.x < few_threads) contract<few_threads>();
        return __syncthreads();
      }
    contract<Shape::threads>();
  }
};

}  // namespace macareu::cuda::contraction

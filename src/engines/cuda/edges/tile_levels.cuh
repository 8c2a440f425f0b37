// Levels of a tile's pixels: estimates for all of them, exact levels for those that are not sure.
#pragma once

#include <cstdint>

#include "engines/cuda/edges/tile_pixels.cuh"
#include "patterns/edges.hpp"

namespace macareu::cuda {

/// Exact derived values around a pixel.
template <class Rule, class Value>
struct derived_again {
  const Rule& rule;
  tile_bounds inside;
  const Value* smooth;
  int row, column;

  __device__ Value operator()(int, int dy, int dx) const {
    return rule.derived(tile_pixels<Value>{smooth + inside.place(row + dy, column + dx)});
  }
};

template <class Rule, class Value>
__device__ __noinline__ int level_again(const Rule& rule, tile_bounds inside, const Value* smooth,
                                        const Value* derived, int row, int column) {
  const int place = row * edge_tile::pitch + column;
  const tile_pixels<Value> s{smooth + place};
  if constexpr (Rule::drafts)
    return rule.level(s, derived_again<Rule, Value>{rule, inside, smooth, row, column});
  else
    return rule.level(s, tile_pixels<Value>{derived + place});
}

/// The level or not_sure. Needs whole warps; lanes are columns. Returns 0 for pixels without `may_mark`.
template <class Rule, class Value>
__device__ __forceinline__ int estimate_in_tile(const Rule& rule, const Value* smooth, const Value* derived,
                                                Value error, int row, int column, bool may_mark) {
  const int place = row * edge_tile::pitch + column;
  const tile_pixels<Value> s{smooth + place}, d{derived + place};
  const Value strength = rule.strength(s, d);
  const bool strong = may_mark && !(strength < rule.least());
  if (!__any_sync(~0u, strong)) return 0;
  Value slopes[Rule::rank];
  rule.slopes(s, slopes);
  return strong ? static_cast<int>(rule.estimate(strength, slopes, d, error)) : 0;
}

/// Estimates are never sure in flat parts of an image, where derived values are 0.
template <class Rule, class Value>
__device__ bool lies_flat(const Rule& rule, const tile_bounds& inside, const Value* smooth, int row,
                          int column) {
  const auto flat = [&](int dy, int dx) {
    return rule.is_flat(tile_pixels<Value>{smooth + inside.place(row + dy, column + dx)});
  };
  return flat(0, 0) && flat(-1, 0) && flat(1, 0) && flat(0, -1) && flat(0, 1);
}

/// Unsure pixels of a tile, in the memory of sums that derived values leave free.
struct unsure_pixels {
  std::uint16_t* list;
  std::uint32_t capacity, *count;

  template <class Value>
  __device__ unsure_pixels(Value* derived, int reach_x, std::uint32_t* count_)
      : list(reinterpret_cast<std::uint16_t*>(derived + edge_tile::high * edge_tile::pitch)),
        capacity(static_cast<std::uint32_t>(
            edge_tile::high *
            (sizeof(double) * edge_tile::sum_pitch(reach_x) - sizeof(Value) * edge_tile::pitch) /
            sizeof(std::uint16_t))),
        count(count_) {}

  /// Needs whole warps. False: the list has no room for this lane's pixel.
  __device__ bool add(bool unsure, int row, int column) const {
    const unsigned all = __ballot_sync(~0u, unsure), lane = threadIdx.x % 32;
    if (!all) return true;
    std::uint32_t first = 0;
    if (lane == 0) first = atomicAdd(count, static_cast<std::uint32_t>(__popc(all)));
    const auto place = __shfl_sync(~0u, first, 0) + __popc(all & ((1u << lane) - 1));
    if (unsure && place < capacity) list[place] = static_cast<std::uint16_t>(row << 8 | column);
    return !unsure || place < capacity;
  }
  /// Calls visit(row, column). Call after a barrier.
  template <class Visit>
  __device__ void for_each(Visit&& visit) const {
    const auto listed = min(*count, capacity);
    for (std::uint32_t i = threadIdx.x; i < listed; i += edge_tile::threads)
      visit(list[i] >> 8, list[i] & 0xff);
  }
};
static_assert(edge_tile::high <= 256 && edge_tile::wide <= 256);

}  // namespace macareu::cuda

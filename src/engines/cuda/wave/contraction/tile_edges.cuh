// Edges between the components of a tile: enumeration, and the best edge of each component.
#pragma once

#include "engines/cuda/wave/contraction/tile_memory.cuh"

namespace macareu::cuda::contraction {

/// An edge is named by its first pixel and its direction, in 16 bits.
template <class Shape>
struct tile_edge {
  static_assert(Shape::pixels * Shape::directions < 0xffff);
  int p, q;

  __device__ explicit tile_edge(uint32_t name)
      : p(static_cast<int>(name) / Shape::directions),
        q(p + Shape::forward_offset(static_cast<int>(name) % Shape::directions)) {}
  __device__ static uint32_t name(int pixel, int direction) { return pixel * Shape::directions + direction; }
};

/// Tags break ties between edges of equal weight. A multiplicative hash modulo 2^16 makes their order
/// pseudo-random, which keeps chains of hooks short. Tag 0: an edge that may leave the tile.
__device__ inline uint32_t tag_of(uint32_t name) { return (name + 1) * 0x9e35u & 0xffffu; }
__device__ inline uint32_t name_of(uint32_t tag) {
  constexpr uint32_t inverse = [] {
    uint32_t v = 1;
    for (int i = 0; i < 5; ++i) v *= 2 - 0x9e35u * v;
    return v;
  }();
  return (tag * inverse & 0xffffu) - 1;
}

/// The best edge of each component. 8 and 16-bit keys share a word with the tag. Wider keys take two passes:
/// the weight, then the tag among edges of that weight.
template <class Key, class Shape>
struct best_edges {
  using memory = tile_memory<Key, Shape>;
  using word = word_of<Key>;
  static constexpr bool one_pass = memory::tag_in_word;

  __device__ static word offer_of(Key weight, uint32_t tag) {
    if constexpr (one_pass)
      return static_cast<word>(weight) << 16 | tag;
    else
      return weight;
  }
  __device__ static void offer(uint32_t a, uint32_t b, Key weight, uint32_t name) {
    const word value = offer_of(weight, tag_of(name));
    raise_shared(&memory::best()[a], value);
    raise_shared(&memory::best()[b], value);
  }
  __device__ static void settle(uint32_t a, uint32_t b, Key weight, uint32_t name) {
    if (memory::best()[a] == weight) raise_shared(&memory::tag()[a], tag_of(name));
    if (memory::best()[b] == weight) raise_shared(&memory::tag()[b], tag_of(name));
  }
  __device__ static Key weight(uint32_t c) {
    constexpr int below = one_pass ? 16 : 0;
    return static_cast<Key>(memory::best()[c] >> below);
  }
  __device__ static uint32_t tag(uint32_t c) {
    if constexpr (one_pass)
      return memory::best()[c] & 0xffffu;
    else
      return memory::tag()[c];
  }
  __device__ static void clear(uint32_t c) {
    memory::best()[c] = 0;
    if constexpr (!one_pass) memory::tag()[c] = 0;
  }
};

/// Is an edge over several axes needed? If another corner of its box is no lower, edges over fewer axes are
/// as good.
template <class Shape, step S, class Key>
__device__ bool needed(const Key* at, Key weight) {
  bool needed = true;
  each<6>([&](auto k) {
    constexpr int corner = k + 1;
    constexpr step s{corner & 4 ? S.z : 0, corner & 2 ? S.y : 0, corner & 1 ? S.x : 0};
    constexpr bool between = (s.z || s.y || s.x) && (s.z != S.z || s.y != S.y || s.x != S.x);
    if constexpr (between) needed &= at[Shape::mask_offset(s)] < weight;
  });
  return needed;
}

/// Of edges between the same two components in adjacent lanes only local bests are kept; of equals the first.
template <class Key>
__device__ bool beaten_in_row(int lane, uint32_t pair, Key weight) {
  const uint32_t left_pair = __shfl_up_sync(all_lanes, pair, 1);
  const Key left_weight = __shfl_up_sync(all_lanes, weight, 1);
  const bool same = lane > 0 && left_pair == pair;
  const uint32_t beats_left = __ballot_sync(all_lanes, same && weight > left_weight);
  return (same && left_weight >= weight) || (beats_left >> 1 >> lane & 1);
}

/// Calls visit(there, a, b, weight, name) for edges between components, by whole warps. Calls keep(first row,
/// bits) for the edges that visit accepts; bits are ordered by row, then by direction. Of edges between the
/// same two components it visits only the best of each vertical run and local bests of a horizontal run.
template <class Key, class Shape, class Component, class Visit, class Keep>
__device__ void over_boundaries(Component&& component, Visit&& visit, Keep&& keep) {
  constexpr uint32_t no_pair = ~0u;
  constexpr int group = std::min(Shape::band_rows, 32 / Shape::directions);  // rows whose edges fit 32 bits
  constexpr int unrolled = Shape::depth > 1 ? 1 : Shape::reach > 1 ? 2 : 8;
  const band<Shape> mine;
  const auto* label = tile_memory<Key, Shape>::label() + mine.first;
  const Key* at = tile_memory<Key, Shape>::mask() + Shape::mask_index(mine.first);
  uint32_t own = component(label[0]);

  for (int first = 0; first < Shape::band_rows; first += group) {
    uint32_t kept = 0, run_pair = no_pair;
    Key run_weight = 0;
    int run_row = first;
    const auto end_run = [&](bool ends) {
      const bool alive = visit(ends && run_pair != no_pair, run_pair >> 16, run_pair & 0xffffu, run_weight,
                               tile_edge<Shape>::name(mine.pixel(run_row), 0));
      kept |= static_cast<uint32_t>(alive) << (run_row - first) * Shape::directions;
    };
    const int end = min(first + group, Shape::band_rows);
#pragma unroll unrolled
    for (int i = first; i < end; ++i, at += Shape::mask_row, label += Shape::width) {
      const uint32_t below = mine.y + i + 1 < Shape::height ? component(label[Shape::width]) : own;
      uint32_t right = __shfl_down_sync(all_lanes, own, 1);
      if (mine.lane == 31) right = mine.x + 1 < Shape::width ? component(label[1]) : own;
      if constexpr (Shape::directions == 2) {  // with diagonals, lanes at the sides may have other neighbours
        if (__all_sync(all_lanes, own == right && own == below && run_pair == no_pair)) continue;
      }
      const Key here = *at;
      each<Shape::directions>([&](auto d) {
        constexpr step s = Shape::forward(d);
        constexpr bool diagonal = s.z * s.z + s.y * s.y + s.x * s.x > 1;
        const Key there = at[Shape::mask_offset(s)], weight = here < there ? here : there;
        if constexpr (d == 0) {
          const uint32_t pair = own != right ? own << 16 | right : no_pair;
          end_run(pair != run_pair);
          if (pair != run_pair || weight > run_weight) run_pair = pair, run_weight = weight, run_row = i;
        } else {
          bool inside = Shape::holds(mine.z + s.z, mine.y + i + s.y, mine.x + s.x);
          if constexpr (diagonal) {
            inside = inside && needed<Shape, s>(at, weight);
            if (!__any_sync(all_lanes, inside)) return;
          }
          uint32_t other = own;
          if constexpr (!diagonal && s.y == 1)
            other = below;
          else if (inside)
            other = component(label[Shape::offset(s)]);
          const uint32_t pair = own != other ? own << 16 | other : no_pair;
          const bool beaten = beaten_in_row(mine.lane, pair, weight);
          const bool alive =
              visit(pair != no_pair && !beaten, own, other, weight, tile_edge<Shape>::name(mine.pixel(i), d));
          kept |= static_cast<uint32_t>(alive) << ((i - first) * Shape::directions + d);
        }
      });
      own = below;
    }
    end_run(true);
    keep(first, kept);
  }
}
template <class Key, class Shape, class Component, class Visit>
__device__ void over_boundaries(Component&& component, Visit&& visit) {
  over_boundaries<Key, Shape>(
      component,
      [&](bool there, uint32_t a, uint32_t b, Key weight, uint32_t name) {
        if (there) visit(a, b, weight, name);
        return false;
      },
      [](int, uint32_t) {});
}

/// Appends the edges that the lanes' bits select: a prefix sum and one atomic per warp.
template <class Key, class Shape>
__device__ void list_edges_of(int first_row, uint32_t bits) {
  using memory = tile_memory<Key, Shape>;
  if (!__any_sync(all_lanes, bits != 0)) return;
  const band<Shape> mine;
  uint32_t sum = __popc(bits);
#pragma unroll
  for (int i = 1; i < 32; i *= 2) {
    const uint32_t left = __shfl_up_sync(all_lanes, sum, i);
    if (mine.lane >= i) sum += left;
  }
  uint32_t place = sum - __popc(bits), base = 0;
  if (mine.lane == 31) base = atomicAdd(&memory::list_count(), sum);
  place += __shfl_sync(all_lanes, base, 31);
  for (; bits && place < memory::list_capacity; bits &= bits - 1, ++place) {
    const int bit = __ffs(bits) - 1;
    memory::list()[place] =
        tile_edge<Shape>::name(mine.pixel(first_row + bit / Shape::directions), bit % Shape::directions);
  }
}

}  // namespace macareu::cuda::contraction

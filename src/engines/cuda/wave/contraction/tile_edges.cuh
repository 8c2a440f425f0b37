// Edges between the components of a tile: where they are, and the best of each component.
#pragma once

#include "engines/cuda/wave/contraction/tile_memory.cuh"

namespace macareu::cuda::contraction {

/// An edge is named by its first pixel and its direction, in 16 bits.
template <class Shape>
struct tile_edge {
  static constexpr uint32_t none = 0xffffu;
  static_assert(Shape::pixels * Shape::directions < 0xffff);
  int p, q;

  __device__ explicit tile_edge(uint32_t name)
      : p(static_cast<int>(name) / Shape::directions),
        q(p + Shape::forward_offset(static_cast<int>(name) % Shape::directions)) {}
  __device__ static uint32_t name(int pixel, int direction) { return pixel * Shape::directions + direction; }
};

/// The tag of an edge orders edges of equal weight, in an order as good as random, so that chains of hooks stay
/// short: a product with an odd number, modulo 2^16. The tag 0 stands for an edge that may leave the tile.
__device__ inline uint32_t tag_of(uint32_t name) { return (name + 1) * 0x9e35u & 0xffffu; }
__device__ inline uint32_t name_of(uint32_t tag) {
  constexpr uint32_t inverse = [] {
    uint32_t v = 1;
    for (int i = 0; i < 5; ++i) v *= 2 - 0x9e35u * v;
    return v;
  }();
  return (tag * inverse & 0xffffu) - 1;
}

/// The best edge of each component. Keys of 8 and 16 bits go with the tag in one word; for wider ones the
/// weight is settled first and the tag among the edges of that weight second.
template <class Key, class Shape>
struct best_edges {
  using memory = tile_memory<Key, Shape>;
  using word = word_of<Key>;
  static constexpr bool one_pass = memory::tag_in_word;

  __device__ static word offer_of(Key weight, uint32_t tag) {
    if constexpr (one_pass) return static_cast<word>(weight) << 16 | tag;
    else return weight;
  }
  __device__ static void offer(uint32_t a, uint32_t b, Key weight, uint32_t name) {
    const word value = offer_of(weight, tag_of(name));
    atomicMax(&memory::best()[a], value);
    atomicMax(&memory::best()[b], value);
  }
  __device__ static void settle(uint32_t a, uint32_t b, Key weight, uint32_t name) {
    if (memory::best()[a] == weight) atomicMax(&memory::tag()[a], tag_of(name));
    if (memory::best()[b] == weight) atomicMax(&memory::tag()[b], tag_of(name));
  }
  __device__ static Key weight(uint32_t c) {
    return static_cast<Key>(one_pass ? memory::best()[c] >> (one_pass ? 16 : 0) : memory::best()[c]);
  }
  __device__ static uint32_t tag(uint32_t c) {
    if constexpr (one_pass) return memory::best()[c] & 0xffffu;
    else return memory::tag()[c];
  }
  __device__ static void clear(uint32_t c) {
    memory::best()[c] = 0;
    if constexpr (!one_pass) memory::tag()[c] = 0;
  }
};

/// Does an edge over several axes matter? Where another corner of the box it spans is no lower, edges over fewer
/// axes are as good.
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

/// Of edges between the same two components in a row of lanes only local bests are kept: of equals the first.
template <class Key>
__device__ bool beaten_in_row(int lane, uint32_t pair, Key weight) {
  const uint32_t left_pair = __shfl_up_sync(all_lanes, pair, 1);
  const Key left_weight = __shfl_up_sync(all_lanes, weight, 1);
  const bool same = lane > 0 && left_pair == pair;
  const uint32_t beats_left = __ballot_sync(all_lanes, same && weight > left_weight);
  return (same && left_weight >= weight) || (beats_left >> 1 >> lane & 1);
}

/// visit(there, a, b, weight, name) for edges between components, by whole warps. Of edges between the same two
/// components only the best of each vertical run, or local bests of a horizontal run, are visited.
template <class Key, class Shape, class Component, class Visit>
__device__ void over_boundaries(Component&& component, Visit&& visit) {
  constexpr uint32_t no_pair = ~0u;
  constexpr int unrolled = Shape::depth > 1 ? 1 : 2;
  const band<Shape> mine;
  const auto* label = tile_memory<Key, Shape>::label() + mine.first;
  const Key* at = tile_memory<Key, Shape>::mask() + Shape::mask_index(mine.first);
  uint32_t own = component(label[0]);

  uint32_t run_pair = no_pair, run_edge = 0;
  Key run_weight = 0;
  const auto end_run = [&](bool ends) {
    visit(ends && run_pair != no_pair, run_pair >> 16, run_pair & 0xffffu, run_weight, run_edge);
  };
#pragma unroll unrolled
  for (int i = 0; i < Shape::band_rows; ++i, at += Shape::mask_row, label += Shape::width) {
    const uint32_t below = mine.y + i + 1 < Shape::height ? component(label[Shape::width]) : own;
    const Key here = *at;
    each<Shape::directions>([&](auto d) {
      constexpr step s = Shape::forward(d);
      constexpr bool diagonal = s.z * s.z + s.y * s.y + s.x * s.x > 1;
      const Key there = at[Shape::mask_offset(s)], weight = here < there ? here : there;
      const uint32_t name = tile_edge<Shape>::name(mine.pixel(i), d);
      if constexpr (d == 0) {
        uint32_t other = __shfl_down_sync(all_lanes, own, 1);
        if (mine.lane == 31) other = mine.x + 1 < Shape::width ? component(label[1]) : own;
        const uint32_t pair = own != other ? own << 16 | other : no_pair;
        end_run(pair != run_pair);
        if (pair != run_pair || weight > run_weight) run_pair = pair, run_weight = weight, run_edge = name;
      } else {
        bool inside = Shape::holds(mine.z + s.z, mine.y + i + s.y, mine.x + s.x);
        if constexpr (diagonal) {
          inside = inside && needed<Shape, s>(at, weight);
          if (!__any_sync(all_lanes, inside)) return;
        }
        uint32_t other = own;
        if constexpr (!diagonal && s.y == 1) other = below;
        else if (inside) other = component(label[Shape::offset(s)]);
        const uint32_t pair = own != other ? own << 16 | other : no_pair;
        const bool beaten = beaten_in_row(mine.lane, pair, weight);
        visit(pair != no_pair && !beaten, own, other, weight, name);
      }
    });
    own = below;
  }
  end_run(true);
}

}  // namespace macareu::cuda::contraction

// Data in global memory: the graph of components that tiles leave open, and the results of each tile.
#pragma once

#include <cstdint>

#include "engines/cuda/wave/contraction/words.cuh"

namespace macareu::cuda::contraction {

constexpr uint32_t final_node = 0x80000000u;
constexpr uint32_t no_weight = 0xffffffffu;
constexpr uint16_t no_node = 0xffffu;

/// Every round at least halves the nodes at work, of which there are fewer than 2^31.
constexpr int most_rounds = 40;

struct graph_result {
  unsigned long long nodes, edges;  // required, also if they did not fit
  uint32_t rounds, unfinished;
  uint32_t beyond;  // a start lies beyond its capacity, or is NaN
};
/// Zero before the first kernel and after the last.
struct counters : graph_result {
  uint32_t at_work[most_rounds + 1];  // nodes neither hooked nor final, by round
  uint32_t written;                   // tiles whose pixels are written
};

template <class Key>
struct edge_list {
  unsigned long long* ends;  // two nodes, 32 bits each
  Key* weight;
  unsigned long long capacity;

  static constexpr unsigned long long dead = ~0ull;
  __device__ void put(unsigned long long place, uint32_t a, uint32_t b, Key w) const {
    if (place >= capacity) return;  // counted; the host retries with more memory
    ends[place] = static_cast<unsigned long long>(a) << 32 | b;
    weight[place] = w;
  }
};

template <class Key>
struct node_graph {
  using word = word_of<Key>;

  counters* count;
  edge_list<Key> edges;
  word* marker;              // best marker inside; the value once final
  word* best[2];             // weight of the best edge, of this round and the next
  unsigned long long* link;  // parent link: weight handle << 32 | final << 31 | parent
  uint32_t* at_work[2];
  unsigned long long node_capacity;

  __device__ bool too_small() const { return count->nodes > node_capacity || count->edges > edges.capacity; }

  /// A weight in 32 bits: the weight itself, or for 64-bit keys the index of its edge.
  __device__ static uint32_t handle(Key weight, unsigned long long edge) {
    return sizeof(Key) <= 4 ? static_cast<uint32_t>(weight) : static_cast<uint32_t>(edge);
  }
  __device__ uint32_t narrower(uint32_t a, uint32_t b) const {
    if constexpr (sizeof(Key) <= 4) {
      return a < b ? a : b;
    } else {
      if (a == no_weight || b == no_weight) return a == no_weight ? b : a;
      return edges.weight[a] < edges.weight[b] ? a : b;
    }
  }
  __device__ word weight_of(uint32_t handle) const {
    if constexpr (sizeof(Key) <= 4)
      return handle;
    else
      return handle == no_weight ? ~word{0} : edges.weight[handle];
  }

  __device__ static unsigned long long link_to(uint32_t handle, uint32_t parent) {
    return static_cast<unsigned long long>(handle) << 32 | parent;
  }
  __device__ static unsigned long long root_link(uint32_t node) { return link_to(no_weight, node); }
  __device__ static uint32_t parent(unsigned long long link) {
    return static_cast<uint32_t>(link) & ~final_node;
  }
  __device__ static uint32_t handle_of(unsigned long long link) { return static_cast<uint32_t>(link >> 32); }
};

template <class Key>
struct rim_pixel {
  Key capacity, bound;
  uint16_t node;
};

/// Results of tiles, stored tile by tile. R = bound if the node is final, else min(bound, value of the node).
template <class Key, class Shape>
struct tile_results {
  uint32_t* first_node;
  uint16_t* nodes;
  Key* bound;
  typename Shape::index* node;  // in the tile; the largest number: final
  rim_pixel<Key>* rim;
};

}  // namespace macareu::cuda::contraction

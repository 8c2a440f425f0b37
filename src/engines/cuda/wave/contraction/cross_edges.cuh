// Edges between the nodes of different tiles, over their rims.
#pragma once

#include "engines/cuda/runtime/dependent_launch.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/contraction/graph.cuh"
#include "engines/cuda/wave/contraction/tile_shape.cuh"

namespace macareu::cuda::contraction {

constexpr int cross_capacity = tuning::waiting_edges;
/// In images with 4 neighbours one thread has one edge: to the right, or downwards.
template <class Shape>
constexpr bool edge_per_thread = Shape::depth == 1 && Shape::reach == 1;
template <class Shape>
constexpr int cross_threads =
    edge_per_thread<Shape> ? Shape::face_x + Shape::face_y : tuning::joining_threads;

/// Buffers edges in shared memory, so that one atomic per flush reserves their places in the global list.
template <class Key>
struct waiting_edges {
  unsigned long long ends[cross_capacity], first;
  Key weight[cross_capacity];
  uint32_t count;

  __device__ void clear() {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
  }
  __device__ void add(bool there, uint32_t a, uint32_t b, Key w) {
    const uint32_t place = place_in_list(&count, there);
    if (!there) return;
    ends[place] = static_cast<unsigned long long>(a) << 32 | b;
    weight[place] = w;
  }
  __device__ void flush(const node_graph<Key>& graph) {
    __syncthreads();
    if (threadIdx.x == 0 && count)
      first = atomicAdd(&graph.count->edges, static_cast<unsigned long long>(count));
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
      graph.edges.put(first + i, static_cast<uint32_t>(ends[i] >> 32), static_cast<uint32_t>(ends[i]),
                      weight[i]);
  }
};

/// Looks up rim pixels of this tile and its neighbours, by coordinates relative to this tile.
template <class Key, class Shape>
struct rim_lookup {
  const tile_grid grid;
  const tile_results<Key, Shape> tiles;
  const tile_place<Shape> place;

  struct found {
    bool there;
    uint32_t tile;
    rim_pixel<Key> pixel;
  };
  __device__ found at(step p) const {
    const auto beyond = [](int i, int size) { return i < 0 ? -1 : i >= size ? 1 : 0; };
    const int dz = beyond(p.z, Shape::depth), dy = beyond(p.y, Shape::height), dx = beyond(p.x, Shape::width);
    const uint32_t x = place.x + dx, y = place.y + dy, z = place.z + dz;
    if (x >= grid.across || y >= grid.down || z >= grid.deep) return {};
    const uint32_t tile = (z * grid.down + y) * grid.across + x;
    const int entry =
        Shape::rim_entry({p.z - dz * Shape::depth, p.y - dy * Shape::height, p.x - dx * Shape::width});
    return {true, tile, tiles.rim[static_cast<std::size_t>(tile) * Shape::rim_entries + entry]};
  }
  /// As in tile_edges.cuh: true if all other corners of the box are lower.
  template <step S>
  __device__ bool needed(step p, Key weight) const {
    bool needed = true;
    each<6>([&](auto k) {
      constexpr int corner = k + 1;
      constexpr step s{corner & 4 ? S.z : 0, corner & 2 ? S.y : 0, corner & 1 ? S.x : 0};
      constexpr bool between = (s.z || s.y || s.x) && (s.z != S.z || s.y != S.y || s.x != S.x);
      if constexpr (between) {
        const auto other = at({p.z + s.z, p.y + s.y, p.x + s.x});
        needed = needed && (!other.there || other.pixel.capacity < weight);
      }
    });
    return needed;
  }
};

template <class Key>
struct cross_edge {
  bool there = false;
  uint32_t a = 0, b = 0;
  Key weight = 0;
};

/// An edge between two open nodes that exceeds a marker. A final pixel instead raises the marker of its
/// neighbour's node. Other blocks raise markers concurrently: a stale marker at worst keeps a superfluous
/// edge.
template <class Key>
__device__ cross_edge<Key> join(const node_graph<Key>& graph, const rim_pixel<Key>& p, uint32_t first_p,
                                const rim_pixel<Key>& q, uint32_t first_q) {
  using word = word_of<Key>;
  const bool open_p = p.node != no_node, open_q = q.node != no_node;
  const uint32_t a = first_p + p.node, b = first_q + q.node;
  if (open_p && !open_q) raise(&graph.marker[a], static_cast<word>(min(p.capacity, q.bound)));
  if (open_q && !open_p) raise(&graph.marker[b], static_cast<word>(min(q.capacity, p.bound)));
  if (!open_p || !open_q) return {};
  const Key weight = min(p.capacity, q.capacity);
  return {weight > relaxed(&graph.marker[a]) || weight > relaxed(&graph.marker[b]), a, b, weight};
}

/// Keeps the best edge of each pair of nodes in a warp.
template <class Key>
__device__ bool best_of_pair(cross_edge<Key>& edge) {
  const int lane = threadIdx.x % 32;
  bool kept = false;
  for (uint32_t rest = __ballot_sync(all_lanes, edge.there); rest;) {
    const int leader = __ffs(rest) - 1;
    const uint32_t a = __shfl_sync(all_lanes, edge.a, leader), b = __shfl_sync(all_lanes, edge.b, leader);
    const bool same = edge.there && a == edge.a && b == edge.b;
    const uint32_t group = __ballot_sync(all_lanes, same);
    const auto most = warp_max(same ? static_cast<word_of<Key>>(edge.weight) : word_of<Key>{0});
    if (lane == leader) {
      edge.weight = static_cast<Key>(most);
      kept = true;
    }
    rest &= ~group;
  }
  return kept;
}

/// The edge of a thread, in images with 4 neighbours.
template <class Key, class Shape>
__device__ cross_edge<Key> own_edge(const rim_lookup<Key, Shape>& rims, const node_graph<Key>& graph) {
  const int i = static_cast<int>(threadIdx.x);
  const bool right = i < Shape::face_x;
  const step p = right ? step{0, i, Shape::width - 1} : step{0, Shape::height - 1, i - Shape::face_x};
  const auto other = rims.at({0, p.y + !right, p.x + right});
  if (!other.there) return {};
  const auto own =
      rims.tiles.rim[static_cast<std::size_t>(blockIdx.x) * Shape::rim_entries + Shape::rim_entry(p)];
  return join(graph, own, rims.tiles.first_node[blockIdx.x], other.pixel, rims.tiles.first_node[other.tile]);
}

/// All edges from the rim of the tile in the forward directions, each pair of pixels once.
template <class Key, class Shape>
__device__ void add_edges(const rim_lookup<Key, Shape>& rims, const node_graph<Key>& graph,
                          waiting_edges<Key>& waiting) {
  constexpr int threads = cross_threads<Shape>;
  const uint32_t first_p = rims.tiles.first_node[blockIdx.x];
  constexpr bool may_overflow = Shape::rim_entries > threads || threads * Shape::directions > cross_capacity;
  for (int first = 0; first < Shape::rim_entries; first += threads) {
    const int entry = first + static_cast<int>(threadIdx.x);
    const bool valid = entry < Shape::rim_entries;
    const step p = Shape::rim_site(valid ? entry : 0);
    const bool mine = valid && Shape::rim_entry(p) == entry;  // pixels on edges have several entries
    const auto own =
        rims.tiles.rim[static_cast<std::size_t>(blockIdx.x) * Shape::rim_entries + (valid ? entry : 0)];
    each<Shape::directions>([&](auto d) {
      constexpr step s = Shape::forward(d);
      constexpr int axes = s.z * s.z + s.y * s.y + s.x * s.x;
      const step to{p.z + s.z, p.y + s.y, p.x + s.x};
      cross_edge<Key> edge;
      if (mine && !Shape::holds(to.z, to.y, to.x)) {
        const auto other = rims.at(to);
        bool wanted = other.there;
        if constexpr (axes > 1)
          wanted = wanted && rims.template needed<s>(p, min(own.capacity, other.pixel.capacity));
        if (wanted) edge = join(graph, own, first_p, other.pixel, rims.tiles.first_node[other.tile]);
      }
      const bool kept = best_of_pair(edge);
      waiting.add(kept, edge.a, edge.b, edge.weight);
      if constexpr (may_overflow) {
        __syncthreads();
        if (waiting.count + threads > cross_capacity) {
          waiting.flush(graph);
          __syncthreads();
          waiting.clear();
        }
        __syncthreads();
      }
    });
  }
}

/// One block a tile.
template <class Key, class Shape>
__global__ void __launch_bounds__(cross_threads<Shape>)
    join_tiles(tile_grid grid, tile_results<Key, Shape> tiles, node_graph<Key> graph) {
  __shared__ waiting_edges<Key> waiting;
  follow();
  if (graph.count->nodes > graph.node_capacity) return;
  waiting.clear();
  const rim_lookup<Key, Shape> rims{grid, tiles, tile_place<Shape>(grid, blockIdx.x)};
  if constexpr (edge_per_thread<Shape>) {
    auto edge = own_edge(rims, graph);
    const bool kept = best_of_pair(edge);
    waiting.add(kept, edge.a, edge.b, edge.weight);
  } else {
    add_edges(rims, graph, waiting);
  }
  waiting.flush(graph);
}

}  // namespace macareu::cuda::contraction

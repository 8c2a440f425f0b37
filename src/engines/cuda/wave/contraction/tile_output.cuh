// Output of a tile: nodes for its open components, a bound and a node for every pixel, edges between nodes.
#pragma once

#include "engines/cuda/runtime/dependent_launch.cuh"
#include "engines/cuda/wave/contraction/graph.cuh"
#include "engines/cuda/wave/contraction/tile_contraction.cuh"
#include "engines/cuda/wave/contraction/tile_forest.cuh"

namespace macareu::cuda::contraction {

template <class Key, class Shape>
struct tile_output {
  using memory = tile_memory<Key, Shape>;
  using edge = tile_edge<Shape>;
  using word = word_of<Key>;
  using link = basin_link<Key>;
  static constexpr uint32_t no_slot = ~0u;

  const tile_rounds<Key, Shape>& rounds;
  const node_graph<Key>& graph;
  const tile_results<Key, Shape>& results;
  uint32_t tile;

  /// Numbers open components. Replaces each basin's link by its bound and node.
  __device__ void number_nodes() const {
    for (uint32_t b = threadIdx.x; b < rounds.basins; b += Shape::threads)
      memory::slot()[b] = rounds.component(b) == b ? atomicAdd(&memory::node_count(), 1u) : no_slot;
    __syncthreads();
    if (threadIdx.x == 0) {
      const uint32_t nodes = memory::node_count();
      const uint32_t first = nodes ? static_cast<uint32_t>(atomicAdd(&graph.count->nodes, nodes)) : 0;
      memory::first_node() = first;
      results.first_node[tile] = first;
      results.nodes[tile] = nodes;
    }
    for (uint32_t b = threadIdx.x; b < rounds.basins; b += Shape::threads) {
      const link way = memory::links()[b];
      const uint32_t root = way.to() & rounds.number;
      const word value = memory::marker()[root];
      memory::links()[b] = way.to() & final_basin
                               ? link::of(min(static_cast<word>(way.weight()), value), no_node)
                               : link::of(way.weight(), memory::slot()[root]);
    }
    __syncthreads();
  }

  __device__ void write_nodes() const {
    const unsigned long long first = memory::first_node();
    if (first + memory::node_count() > graph.node_capacity) return;
    for (uint32_t b = threadIdx.x; b < rounds.basins; b += Shape::threads) {
      if (memory::slot()[b] == no_slot) continue;
      const auto node = static_cast<uint32_t>(first + memory::slot()[b]);
      graph.marker[node] = memory::marker()[b];
      graph.best[0][node] = 0;
      graph.link[node] = graph.root_link(node);
    }
  }

  __device__ void write_pixels() const {
#pragma unroll
    for (int k = 0; k < tile_starts<Key, Shape>::packs; ++k) {
      const int p = tile_starts<Key, Shape>::first_pixel(k);
      const auto label = *reinterpret_cast<const pack<uint16_t, 4>*>(&memory::label()[p]);
      const auto capacity = *reinterpret_cast<const words_of<Key, 4>*>(&memory::mask()[Shape::mask_index(p)]);
      pack<Key, 4> bound;
      pack<typename Shape::index, 4> node;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const link way = memory::links()[label.at[i]];
        bound.at[i] = way.weight();
        node.at[i] = way.to();
      }
      const auto place = static_cast<std::size_t>(tile) * Shape::pixels + p;
      *reinterpret_cast<words_of<Key, 4>*>(&results.bound[place]) = lower<Key>(as_words(bound), capacity);
      *reinterpret_cast<decltype(node)*>(&results.node[place]) = node;
    }
  }

  __device__ void write_rim() const {
#pragma unroll
    for (int k = 0; k < Shape::rim_per_thread; ++k) {
      if (!rounds.has_rim(k)) continue;
      const int p = rounds.rim_pixel_of(k);
      const Key capacity = memory::capacity(p);
      const link way = memory::links()[memory::label()[p]];
      results.rim[static_cast<std::size_t>(tile) * Shape::rim_entries + threadIdx.x + k * Shape::threads] = {
          capacity, static_cast<Key>(min(capacity, way.weight())), static_cast<uint16_t>(way.to())};
    }
  }

  /// Keeps the best edge of each pair of nodes in a hash table. A crowded table only causes superfluous
  /// edges.
  __device__ void put_in_table(uint32_t a, uint32_t b, Key weight) const {
    if (a > b) {
      const uint32_t least = b;
      b = a;
      a = least;
    }
    uint32_t place = (a * 37 + b * 101) % memory::table_slots;
    for (int tries = 0; tries < 64; ++tries) {
      const uint32_t pair = a << 16 | b, before = atomicCAS(&memory::table_pair()[place], 0u, pair);
      if (before == 0 || before == pair) {
        atomicMax(&memory::table_weight()[place], static_cast<word>(weight));
        return;
      }
      place = (place + 1) % memory::table_slots;
    }
    const uint32_t first = memory::first_node();
    graph.edges.put(atomicAdd(&graph.count->edges, 1ull), first + a, first + b, weight);
  }
  __device__ void put_edge(uint32_t name) const {
    const edge e(name);
    const uint32_t a = rounds.component(memory::label()[e.p]), b = rounds.component(memory::label()[e.q]);
    if (a != b && a != no_node && b != no_node) put_in_table(a, b, rounds.weight(e));
  }

  __device__ void fill_table() const {
    for (int i = threadIdx.x; i < memory::table_slots; i += Shape::threads) {
      memory::table_pair()[i] = 0;
      memory::table_weight()[i] = 0;
    }
    __syncthreads();
    if (rounds.all_listed) {
      rounds.over_listed([&](uint32_t name) { put_edge(name); });
    } else {
      over_boundaries<Key, Shape>(rounds.component,
                                  [&](uint32_t, uint32_t, Key, uint32_t name) { put_edge(name); });
    }
    __syncthreads();
  }

  __device__ void write_edges() const {
    uint32_t mine = 0;
    for (int i = threadIdx.x; i < memory::table_slots; i += Shape::threads)
      mine += memory::table_pair()[i] != 0;
    const uint32_t before = mine ? atomicAdd(&memory::edge_count(), mine) : 0;
    __syncthreads();
    if (threadIdx.x == 0 && memory::edge_count())
      memory::first_edge() =
          atomicAdd(&graph.count->edges, static_cast<unsigned long long>(memory::edge_count()));
    __syncthreads();
    if (!mine) return;
    unsigned long long place = memory::first_edge() + before;
    const uint32_t first = memory::first_node();
    for (int i = threadIdx.x; i < memory::table_slots; i += Shape::threads) {
      const uint32_t pair = memory::table_pair()[i];
      if (pair)
        graph.edges.put(place++, first + (pair >> 16), first + (pair & 0xffffu),
                        static_cast<Key>(memory::table_weight()[i]));
    }
  }

  __device__ void write() const {
    number_nodes();
    write_nodes();
    write_pixels();
    write_rim();
    if (!__syncthreads_or(!rounds.all_listed || rounds.listed)) return;
    fill_table();
    write_edges();
  }
};

/// One block a tile.
template <class Key, class Shape>
__global__ void __launch_bounds__(Shape::threads, tile_memory<Key, Shape>::blocks)
    contract_tiles(bottleneck_problem<Key> problem, bool packed, tile_grid grid,
                   tile_results<Key, Shape> results, node_graph<Key> graph) {
  using memory = tile_memory<Key, Shape>;
  let_next_start();
  if (threadIdx.x == 0)
    memory::basin_count() = memory::list_count() = memory::node_count() = memory::edge_count() = 0;
  const tile_window<Shape> window(problem.capacity, tile_place<Shape>(grid, blockIdx.x));
  tile_rounds<Key, Shape> rounds;
  tile_starts<Key, Shape> starts;
  const bool alike = starts.load(problem, window, packed, [&] { rounds.load_rim(problem, window); });
  if (starts.beyond) store_relaxed(&graph.count->beyond, 1u);
  if (__syncthreads_and(alike))
    one_basin<Key, Shape>();
  else
    find_basins<Key, Shape>();
  rounds.start();
  rounds.collect_markers(starts);
  rounds.run();
  tile_output<Key, Shape>{rounds, graph, results, blockIdx.x}.write();
}

}  // namespace macareu::cuda::contraction

// Values of nodes back to the pixels: R = min(bound, value of the node), as bits of the pixel type.
#pragma once

#include "engines/cuda/runtime/dependent_launch.cuh"
#include "engines/cuda/runtime/message.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/contraction/graph.cuh"
#include "engines/cuda/wave/contraction/tile_load.cuh"

namespace macareu::cuda::contraction {

constexpr int write_threads = tuning::write_back_threads;

template <class Key>
__device__ Key value_of(const node_graph<Key>& graph, uint32_t node) {
  auto value = ~word_of<Key>{0};
  while (true) {
    const auto link = graph.link[node];
    value = min(value, graph.weight_of(graph.handle_of(link)));
    const uint32_t parent = graph.parent(link);
    if (parent == node) return static_cast<Key>(min(value, graph.marker[node]));
    node = parent;
  }
}

/// Reads the tile while the graph is contracted: the kernels that wrote it ended before that one began.
/// Writes only if the graph fitted: the state may be the start's memory, which a retry reads again.
template <class Key, class Shape>
__device__ void write_tile(const view<Key>& state, const key_map<Key>& map, bool packed,
                           const tile_grid& grid, const tile_results<Key, Shape>& tiles,
                           const node_graph<Key>& graph) {
  using index = typename Shape::index;
  constexpr index final = static_cast<index>(no_node);
  constexpr bool final_in_table = sizeof(index) == 1;
  constexpr int count = 16 / sizeof(Key), packs = Shape::pixels / count / write_threads;
  static_assert(packs * count * write_threads == Shape::pixels);
  __shared__ Key value[final_in_table ? 256 : Shape::most_nodes];
  pack<Key, count> bound[packs];
  pack<index, count> node[packs];
  const auto first_pixel = [](int k) { return count * static_cast<int>(threadIdx.x + k * write_threads); };
#pragma unroll
  for (int k = 0; k < packs; ++k) {
    const auto from = static_cast<std::size_t>(blockIdx.x) * Shape::pixels + first_pixel(k);
    bound[k] = *reinterpret_cast<const pack<Key, count>*>(&tiles.bound[from]);
    node[k] = *reinterpret_cast<const pack<index, count>*>(&tiles.node[from]);
  }
  const uint32_t first_node = tiles.first_node[blockIdx.x], nodes = tiles.nodes[blockIdx.x];
  wait_for_previous();
  if (graph.too_small()) return;
  for (uint32_t k = threadIdx.x; k < nodes; k += write_threads) value[k] = value_of(graph, first_node + k);
  if (final_in_table && threadIdx.x == 0) value[final] = std::numeric_limits<Key>::max();
  __syncthreads();
  const tile_window<Shape> window(state, tile_place<Shape>(grid, blockIdx.x));
#pragma unroll
  for (int k = 0; k < packs; ++k) {
    const int p = first_pixel(k), x = p % Shape::width;
    const int y = p / Shape::width % Shape::height, z = p / (Shape::width * Shape::height);
    if (z >= window.high_z || y >= window.high_y || x >= window.high_x) continue;
    pack<Key, count> result;
#pragma unroll
    for (int i = 0; i < count; ++i)
      result.at[i] = !final_in_table && node[k].at[i] == final ? bound[k].at[i] : value[node[k].at[i]];
    const auto bits = bits_of(map, lower<Key>(as_words(result), as_words(bound[k])));
    Key* to = window.at(state, z, y, x);
    if (packed && x + count <= window.high_x) {
      *reinterpret_cast<words_of<Key, count>*>(to) = bits;
    } else {
      const auto pixels = as_keys<Key>(bits);
#pragma unroll
      for (int i = 0; i < count; ++i)
        if (x + i < window.high_x) to[i * state.step_x] = pixels.at[i];
    }
  }
}

/// One block a tile. The last block sends the result to pinned host memory (a copy would take longer). It
/// also clears the counters, which all other blocks have read.
template <class Key, class Shape>
__global__ void __launch_bounds__(write_threads)
    write_back(view<Key> state, key_map<Key> map, bool packed, tile_grid grid, tile_results<Key, Shape> tiles,
               node_graph<Key> graph, message<graph_result>* to_host) {
  write_tile(state, map, packed, grid, tiles, graph);
  __syncthreads();
  __threadfence();
  if (threadIdx.x != 0 || atomicAdd(&graph.count->written, 1) + 1 != gridDim.x) return;
  to_host->send(*graph.count);
  *graph.count = {};
}

}  // namespace macareu::cuda::contraction

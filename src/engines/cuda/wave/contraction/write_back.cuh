// Values of nodes back to the pixels: R = min(bound, value of the node), as bits of the pixel type.
#pragma once

#include "engines/cuda/wave/contraction/graph.cuh"
#include "engines/cuda/wave/contraction/tile_load.cuh"

namespace macareu::cuda::contraction {

constexpr int write_threads = 256;

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

/// One block a tile. Writes only if the graph was solved: the state may be the start's memory, which another try
/// reads again.
template <class Key, class Shape>
__global__ void __launch_bounds__(write_threads)
    write_back(view<Key> state, key_map<Key> map, bool packed, tile_grid grid, tile_results<Key, Shape> tiles,
               node_graph<Key> graph) {
  using index = typename Shape::index;
  constexpr index final = static_cast<index>(no_node);
  constexpr int count = 16 / sizeof(Key);
  __shared__ Key value[Shape::most_nodes];
  if (graph.too_small()) return;
  const tile_place<Shape> place(grid, blockIdx.x);
  const uint32_t first_node = tiles.first_node[blockIdx.x], nodes = tiles.nodes[blockIdx.x];
  for (uint32_t k = threadIdx.x; k < nodes; k += write_threads) value[k] = value_of(graph, first_node + k);
  __syncthreads();
  for (int p = count * threadIdx.x; p < Shape::pixels; p += count * write_threads) {
    const site first = place.at(p / (Shape::width * Shape::height), p / Shape::width % Shape::height, p % Shape::width);
    if (first.z >= state.depth || first.y >= state.height || first.x >= state.width) continue;
    const auto from = static_cast<std::size_t>(blockIdx.x) * Shape::pixels + p;
    const auto bound = *reinterpret_cast<const pack<Key, count>*>(&tiles.bound[from]);
    const auto node = *reinterpret_cast<const pack<index, count>*>(&tiles.node[from]);
    pack<Key, count> result;
#pragma unroll
    for (int i = 0; i < count; ++i) result.at[i] = node.at[i] == final ? bound.at[i] : value[node.at[i]];
    result = bits_of(map, lower(result, bound));
    if (packed && first.x + count <= state.width) {
      *reinterpret_cast<pack<Key, count>*>(&state[first]) = result;
    } else {
#pragma unroll
      for (int i = 0; i < count; ++i)
        if (first.x + i < state.width) state[{first.z, first.y, first.x + i}] = result.at[i];
    }
  }
}

}  // namespace macareu::cuda::contraction

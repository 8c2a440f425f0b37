// Host side of the contraction: memory, launches, and a retry where the graph needs more memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/occupancy.cuh"
#include "engines/cuda/runtime/zeroed_memory.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/contraction.cuh"
#include "engines/cuda/wave/contraction/cross_edges.cuh"
#include "engines/cuda/wave/contraction/graph_contraction.cuh"
#include "engines/cuda/wave/contraction/tile_output.cuh"
#include "engines/cuda/wave/contraction/write_back.cuh"

namespace macareu::cuda::contraction {

/// The rim of a tile bounds the nodes of 2-D images. Edges, and nodes of volumes, are estimated: their worst
/// case is several times what images have.
struct graph_size {
  unsigned long long nodes, edges;
};
template <class Shape>
graph_size likely_size(uint32_t tiles) {
  constexpr unsigned long long nodes =
      Shape::depth == 1 ? Shape::most_nodes : std::min(Shape::most_nodes, tuning::likely_volume_nodes);
  constexpr unsigned long long edges = Shape::pixels / (Shape::depth == 1 ? tuning::image_pixels_of_an_edge
                                                                          : tuning::volume_pixels_of_an_edge);
  return {tiles * nodes, std::max(tiles * edges, tuning::least_likely_edges)};
}

/// All arrays but the counters share one allocation.
template <class Key, class Shape>
class workspace {
 public:
  workspace(const gpu& on, uint32_t tiles, graph_size size) : counters_(on, sizeof(counters)) {
    lay_out(0, tiles, size);
    memory_ = device_array<std::byte>(on, static_cast<int64_t>(end_));
    lay_out(reinterpret_cast<std::uintptr_t>(memory_.data()), tiles, size);
    graph.count = reinterpret_cast<counters*>(counters_.data());
  }
  void launched() { counters_.launched(); }
  /// Call after the result has arrived.
  void finished() { counters_.give_back(); }

  node_graph<Key> graph{};
  tile_results<Key, Shape> tiles{};

 private:
  template <class T>
  void take(T*& array, unsigned long long count) {
    array = reinterpret_cast<T*>(end_);
    end_ += (count * sizeof(T) + 255) / 256 * 256;
  }
  void lay_out(std::uintptr_t begin, uint32_t tile_count, graph_size size) {
    end_ = begin;
    take(graph.edges.ends, size.edges);
    take(graph.edges.weight, size.edges);
    take(graph.marker, size.nodes);
    take(graph.link, size.nodes);
    for (int i = 0; i < 2; ++i) {
      take(graph.best[i], size.nodes);
      take(graph.at_work[i], size.nodes);
    }
    take(tiles.first_node, tile_count);
    take(tiles.nodes, tile_count);
    take(tiles.bound, static_cast<unsigned long long>(tile_count) * Shape::pixels);
    take(tiles.node, static_cast<unsigned long long>(tile_count) * Shape::pixels);
    take(tiles.rim, static_cast<unsigned long long>(tile_count) * Shape::rim_entries);
    graph.edges.capacity = size.edges;
    graph.node_capacity = size.nodes;
  }

  zeroed_memory counters_;
  device_array<std::byte> memory_;
  std::uintptr_t end_ = 0;
};

/// A cooperative kernel: all blocks must be resident.
template <class Key>
void launch_graph_rounds(const gpu& on, uint32_t tiles, node_graph<Key>& graph) {
  const auto blocks = std::min<uint32_t>(resident_blocks<contract_graph<Key>>(on, graph_threads, 0, 1),
                                         tiles / tuning::tiles_of_a_graph_block + 1);
  void* arguments[] = {&graph};
  check(cudaLaunchCooperativeKernel(contract_graph<Key>, dim3(blocks), dim3(graph_threads), arguments, 0,
                                    on.stream),
        "contract_graph");
  on.launched("contract_graph");
}

/// One attempt. The result shows whether the graph fitted.
template <class Key, class Shape>
graph_result attempt(const gpu& on, const bottleneck_problem<Key>& problem, tile_grid grid, graph_size size) {
  const uint32_t tiles = grid.tiles();
  workspace<Key, Shape> space(on, tiles, size);
  constexpr auto shared = static_cast<int>(tile_memory<Key, Shape>::bytes);
  resident_blocks<contract_tiles<Key, Shape>>(on, Shape::threads, shared, 1);
  using four = pack<Key, 4>;
  const bool packed =
      packed_rows<four>(problem.capacity) && (problem.from_border || packed_rows<four>(problem.start));
  contract_tiles<Key, Shape>
      <<<tiles, Shape::threads, shared, on.stream>>>(problem, packed, grid, space.tiles, space.graph);
  on.launched("contract_tiles");
  launch_dependent(on, "join_tiles", join_tiles<Key, Shape>, tiles, cross_threads<Shape>, 0, grid,
                   space.tiles, space.graph);
  launch_graph_rounds(on, tiles, space.graph);
  const expected_message<graph_result> told(on);
  launch_dependent(on, "write_back", write_back<Key, Shape>, tiles, write_threads, 0, problem.state,
                   problem.map, packed_rows<ulonglong2>(problem.state), grid, space.tiles, space.graph,
                   told.place());
  space.launched();
  const auto result = told.receive(on);
  space.finished();
  return result;
}

template <class Key, class Shape>
bool contract_in(const gpu& on, const bottleneck_problem<Key>& problem) {
  const auto& image = problem.state;
  if (image.pixels() == 0) return true;
  const int64_t across = ceil_div(image.width, Shape::width), down = ceil_div(image.height, Shape::height),
                deep = ceil_div(image.depth, Shape::depth);
  constexpr unsigned long long most_nodes = 1ull << 31;  // a node's number has 31 bits, an edge's 32
  if (across * down * deep > INT32_MAX)
    throw too_large("cuda: strategy contraction: more than 2147483647 tiles; use the cpu device");
  const tile_grid grid{static_cast<uint32_t>(across), static_cast<uint32_t>(down),
                       static_cast<uint32_t>(deep)};
  auto size = likely_size<Shape>(grid.tiles());
  for (int tries = 0; tries < 4; ++tries) {
    if (size.nodes > most_nodes || size.edges >= no_weight)
      throw too_large("cuda: strategy contraction: the image's graph is too large; use strategy tiles");
    const auto result = attempt<Key, Shape>(on, problem, grid, size);
    if (result.nodes <= size.nodes && result.edges <= size.edges) {
      if (result.unfinished) throw internal_error("cuda: contraction did not converge: please report");
      add_to_count(on.work.report.tiles, grid.tiles());
      on.work.report.rounds = result.rounds;
      return !result.beyond;
    }
    // Nodes are the same in every attempt. Edges vary a little with the order of threads. Edges between tiles
    // are counted only if the nodes fitted.
    if (result.nodes > size.nodes) size.nodes = result.nodes;
    size.edges = std::max(size.edges, result.edges + result.edges / 4);
  }
  throw internal_error("cuda: contraction outgrew its graph in every attempt: please report");
}

template <class Key>
bool contract_image(const gpu& on, const bottleneck_problem<Key>& problem) {
  constexpr int width = tuning::contracted_image_columns, height = tuning::contracted_image_rows<Key>;
  return problem.near.reach == 1 ? contract_in<Key, tile_shape<width, height, 1, 1>>(on, problem)
                                 : contract_in<Key, tile_shape<width, height, 1, 2>>(on, problem);
}

template <class Key>
bool contract_volume(const gpu& on, const bottleneck_problem<Key>& problem) {
  constexpr int width = tuning::contracted_volume_columns, height = tuning::contracted_volume_rows,
                depth = tuning::contracted_slices<Key>;
  switch (problem.near.reach) {
    case 1:
      return contract_in<Key, tile_shape<width, height, depth, 1>>(on, problem);
    case 2:
      return contract_in<Key, tile_shape<width, height, depth, 2>>(on, problem);
    default:
      return contract_in<Key, tile_shape<width, height, depth, 3>>(on, problem);
  }
}

}  // namespace macareu::cuda::contraction

namespace macareu::cuda {

template <class Key>
bool contract(const gpu& on, const bottleneck_problem<Key>& problem) {
  return problem.near.rank == 3 ? contraction::contract_volume(on, problem)
                                : contraction::contract_image(on, problem);
}

}  // namespace macareu::cuda

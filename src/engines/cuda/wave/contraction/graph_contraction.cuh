// Contraction of the graph that tiles left open: one cooperative kernel, two phases a round, no host in the
// loop.
//
// A node stores only the weight of its best edge. Two nodes have equal values if their edge is the best of
// both and exceeds both markers. One round unites such a class, however long (a corridor through thousands of
// tiles is one class). A class then hooks on any node at the other end of one of its best edges.
//
// Memory order. A grid barrier separates phases. Inside a phase, other blocks change `link` (both phases),
// `marker` and `best` (first phase). These words are read relaxed and changed whole:
//   - A link leaves its root state once, by compare-and-swap. Path compression then replaces it by a link to
//     an ancestor, with the narrowest weight on the path. Every such link is valid, whichever writer wins.
//   - A stale marker is too low, which keeps an edge alive for one more round.
#pragma once

#include <cooperative_groups.h>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/dependent_launch.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/contraction/graph.cuh"

namespace macareu::cuda::contraction {

using tuning::graph_threads;

template <class Key>
struct graph_round {
  using word = word_of<Key>;
  static constexpr uint32_t linked_out = ~0u;

  const node_graph<Key>& graph;
  word* best;       // of this round
  word* best_next;  // cleared for the next one

  /// One step of path compression: `node`, whose link is `link`, now leads to its grandparent.
  __device__ unsigned long long shorten(uint32_t node, unsigned long long link,
                                        unsigned long long parents) const {
    const auto shorter =
        graph.link_to(graph.narrower(graph.handle_of(link), graph.handle_of(parents)), graph.parent(parents));
    store_relaxed(&graph.link[node], shorter);
    return shorter;
  }

  /// The root, with final_node where it is final.
  __device__ uint32_t root(uint32_t node) const {
    auto link = relaxed(&graph.link[node]);
    if (graph.parent(link) == node) return static_cast<uint32_t>(link);
    while (true) {
      const auto parents = relaxed(&graph.link[graph.parent(link)]);
      if (graph.parent(parents) == graph.parent(link)) return static_cast<uint32_t>(parents);
      link = shorten(node, link, parents);
    }
  }

  /// The roots of both ends of an edge, in one loop that overlaps their loads.
  __device__ void roots(uint32_t& a, uint32_t& b) const {
    const uint32_t node_a = a, node_b = b;
    auto link_a = relaxed(&graph.link[a]), link_b = relaxed(&graph.link[b]);
    bool found_a = graph.parent(link_a) == a, found_b = graph.parent(link_b) == b;
    if (found_a) a = static_cast<uint32_t>(link_a);
    if (found_b) b = static_cast<uint32_t>(link_b);
    const auto climb = [&](uint32_t node, unsigned long long& link, unsigned long long parents, uint32_t& end,
                           bool& found) {
      found = graph.parent(parents) == graph.parent(link);
      if (found)
        end = static_cast<uint32_t>(parents);
      else
        link = shorten(node, link, parents);
    };
    while (!found_a || !found_b) {
      const auto parents_a = relaxed(&graph.link[graph.parent(link_a)]);
      const auto parents_b = relaxed(&graph.link[graph.parent(link_b)]);
      if (!found_a) climb(node_a, link_a, parents_a, a, found_a);
      if (!found_b) climb(node_b, link_b, parents_b, b, found_b);
    }
  }

  /// First phase, nodes: a hooked node passes its marker to its root; the others stay at work.
  __device__ void pass_markers(const uint32_t* before, uint32_t count, uint32_t* after, uint32_t* after_count,
                               uint32_t thread, uint32_t threads) const {
    for (uint32_t first = 0; first < count; first += threads) {
      const uint64_t k = uint64_t{first} + thread;
      bool stays = false;
      uint32_t node = 0;
      if (k < count) {
        node = before ? before[k] : static_cast<uint32_t>(k);
        const uint32_t to = root(node);
        stays = to == node;
        if (!stays && !(to & final_node)) {
          // Only markers of roots change, so a plain load of this one is safe.
          const word marker = graph.marker[node];
          if (marker) atomicMax(&graph.marker[to], marker);
        }
      }
      const uint32_t place = place_in_list(after_count, stays);
      if (stays) after[place] = node;
    }
  }

  /// First phase, edges: moves the ends to their roots and raises the roots' best weight. False: the edge is
  /// dead.
  __device__ bool offer(uint32_t& a, uint32_t& b, Key weight, bool first_round) const {
    if (!first_round) roots(a, b);
    if (a == b || (a & b & final_node)) return false;
    word *const marker_a = &graph.marker[a & ~final_node], *const marker_b = &graph.marker[b & ~final_node];
    const word at_a = relaxed(marker_a), at_b = relaxed(marker_b);
    if (weight <= at_a && weight <= at_b) return false;
    if (a & final_node) return atomicMax(marker_b, min(static_cast<word>(weight), at_a)), false;
    if (b & final_node) return atomicMax(marker_a, min(static_cast<word>(weight), at_b)), false;
    atomicMax(&best[a], static_cast<word>(weight));
    atomicMax(&best[b], static_cast<word>(weight));
    return true;
  }

  /// Offers a warp's part of the edges and compacts those alive (no other warp reads them). 64-bit keys are
  /// identified by the index of their edge, so dead edges stay in place.
  __device__ uint32_t offer_all(const edge_list<Key>& part, uint32_t count, bool first_round) const {
    const uint32_t lane = threadIdx.x % 32;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k += 32) {
      bool alive = k + lane < count;
      uint32_t a = 0, b = 0;
      Key weight = 0;
      if (alive) {
        const auto ends = part.ends[k + lane];
        weight = part.weight[k + lane];
        a = static_cast<uint32_t>(ends >> 32), b = static_cast<uint32_t>(ends);
        alive = ends != part.dead && offer(a, b, weight, first_round);
        if (sizeof(Key) == 8 && !alive) part.ends[k + lane] = part.dead;
      }
      const uint32_t stay = __ballot_sync(all_lanes, alive);
      const uint32_t place = sizeof(Key) == 8 ? k + lane : kept + __popc(stay & ((1u << lane) - 1));
      if (alive) part.put(place, a, b, weight);
      kept += __popc(stay);
    }
    return sizeof(Key) == 8 ? count : kept;
  }

  /// Second phase, nodes: final if no edge exceeds the marker.
  __device__ void finish(uint32_t node) const {
    best_next[node] = 0;
    if (graph.marker[node] >= best[node])
      store_relaxed(&graph.link[node], graph.root_link(node) | final_node);
  }

  /// Does the node hook, by an edge of this weight?
  __device__ bool hooks(uint32_t node, Key weight) const {
    return best[node] == weight && graph.marker[node] < weight;
  }

  /// The root of the node's class of this weight, or linked_out: the class has hooked already.
  __device__ uint32_t class_root(uint32_t node, Key weight) const {
    auto link = relaxed(&graph.link[node]);
    while (graph.parent(link) != node) {
      const uint32_t above = graph.parent(link);
      const auto parents = relaxed(&graph.link[above]);
      if (graph.parent(parents) == above) {
        node = above;
        break;
      }
      node = graph.parent(shorten(node, link, parents));
      link = relaxed(&graph.link[node]);
    }
    return hooks(node, weight) ? node : linked_out;
  }

  /// Second phase, edges: unites two classes of this weight, or hooks a class on a better node. Weights grow
  /// from class to class, so links form no cycle. A hash chooses which root stays, which keeps chains short.
  __device__ void unite(unsigned long long ends, Key weight, uint32_t handle) const {
    if (ends == graph.edges.dead) return;
    const uint32_t a = static_cast<uint32_t>(ends >> 32), b = static_cast<uint32_t>(ends);
    const bool a_hooks = hooks(a, weight), b_hooks = hooks(b, weight);
    uint32_t from_a = a, from_b = b;
    while (a_hooks || b_hooks) {
      const uint32_t root_a = a_hooks ? class_root(from_a, weight) : linked_out;
      const uint32_t root_b = b_hooks ? class_root(from_b, weight) : linked_out;
      if (root_a == root_b) return;
      if (root_a != linked_out) from_a = root_a;
      if (root_b != linked_out) from_b = root_b;
      constexpr uint32_t mix = 0x9e3779b1u;
      uint32_t root = root_a, to = root_b;
      if (root_a * mix < root_b * mix) root = root_b, to = root_a;
      if (root_a == linked_out) root = root_b, to = a;
      if (root_b == linked_out) root = root_a, to = b;
      const auto was = graph.root_link(root);
      if (atomicCAS(&graph.link[root], was, graph.link_to(handle, to)) == was) return;
    }
  }
};

template <class Key>
__global__ void __launch_bounds__(graph_threads, 1) contract_graph(node_graph<Key> graph) {
  let_next_start();
  if (graph.too_small()) return;
  auto grid = cooperative_groups::this_grid();
  const uint32_t threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  // Each warp owns a part of the edges. The last warps own the first parts: in small graphs different warps
  // process nodes and edges.
  const unsigned long long edges = graph.count->edges, part = ceil_div(edges, threads) * 32;
  const unsigned long long first = (threads - 1 - thread) / 32 * part;
  uint32_t left = first < edges ? static_cast<uint32_t>(min(part, edges - first)) : 0;
  const edge_list<Key> mine{graph.edges.ends + first, graph.edges.weight + first, left};

  uint32_t* const at_work_count = graph.count->at_work;
  uint32_t count = static_cast<uint32_t>(graph.count->nodes);
  int round = 0;
  for (; count && round < most_rounds; ++round) {
    const bool odd = round % 2;
    const graph_round<Key> now{graph, odd ? graph.best[1] : graph.best[0],
                               odd ? graph.best[0] : graph.best[1]};
    uint32_t* after = odd ? graph.at_work[0] : graph.at_work[1];
    const uint32_t* before = round < 2 ? nullptr
                             : odd     ? graph.at_work[1]
                                       : graph.at_work[0];  // null: all nodes
    if (round) now.pass_markers(before, count, after, &at_work_count[round], thread, threads);
    left = now.offer_all(mine, left, round == 0);
    grid.sync();
    if (round) count = relaxed(&at_work_count[round]);
    if (!count) continue;
    for (uint32_t k = thread; k < count; k += threads) now.finish(round ? after[k] : k);
    for (uint32_t k = threadIdx.x % 32; k < left; k += 32)
      now.unite(mine.ends[k], mine.weight[k], graph.handle(mine.weight[k], first + k));
    grid.sync();
  }
  if (thread == 0) {
    graph.count->rounds = round;
    graph.count->unfinished = count;
  }
}

}  // namespace macareu::cuda::contraction

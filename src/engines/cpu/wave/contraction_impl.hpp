// Contraction of images of any key; narrow_keys.cpp and wide_keys.cpp compile it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numeric>
#include <vector>

#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/boundary_edges.hpp"
#include "engines/cpu/wave/contraction.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "engines/cpu/wave/rim_numbering.hpp"
#include "engines/cpu/wave/source_forest.hpp"
#include "engines/cpu/wave/tile_solver.hpp"

namespace macareu::cpu {
namespace {

/// Packed: edges dominate the memory of the graph.
template <class Key>
struct [[gnu::packed]] edge {
  std::uint32_t a, b;
  Key weight;
};

/// Rim pixels are the nodes of the graph, numbered tile by tile.
template <class Key>
struct rim_graph {
  std::vector<std::uint32_t> first_node;  // of each tile, and one past the last
  std::vector<Key> capacity, value;       // of each node
  std::vector<edge<Key>> edges;
  std::mutex adding;
};

tile_grid grid_over(const neighbourhood& near, std::int64_t depth, std::int64_t height, std::int64_t width) {
  const auto size = near.rank == 3 ? tuning::contracted_volume_tile : tuning::contracted_image_tile;
  return {depth, height, width, {size.width, size.height, size.depth}};
}

template <class Key>
std::int64_t count_nodes(const neighbourhood& near, const wave_image<Key>& image) {
  const auto grid = grid_over(near, image.depth, image.height, image.width);
  std::int64_t nodes = 0;
  for (std::int64_t tile = 0; tile < grid.tiles(); ++tile)
    nodes += rim_numbering(grid.place(tile), near.rank == 3).count();
  return nodes;
}

template <class Key>
class contraction {
 public:
  contraction(job& work, const neighbourhood& near, const wave_image<Key>& image, contract_from from,
              int threads)
      : work_(work),
        near_(near),
        image_(image),
        from_(from),
        threads_(threads),
        grid_(grid_over(near, image.depth, image.height, image.width)) {}

  void run() {
    number_nodes();
    over_tiles([&](tile_solver<Key>& solver, std::int64_t tile) { reduce(solver, tile); });
    over_tiles([&](tile_solver<Key>&, std::int64_t tile) { join_with_neighbours(tile); });
    solve_graph();
    over_tiles([&](tile_solver<Key>& solver, std::int64_t tile) { finish(solver, tile); });
  }

  void run_to_rim(function_ref<void(std::uint32_t, std::uint32_t, Key)> visit) {
    number_nodes();
    over_tiles([&](tile_solver<Key>& solver, std::int64_t tile) { reduce(solver, tile); });
    over_tiles([&](tile_solver<Key>&, std::int64_t tile) { join_with_neighbours(tile); });
    contract_graph(visit);
  }

 private:
  template <class Visit>
  void over_tiles(Visit&& visit) {
    std::atomic<std::int64_t> next{0};
    pass_over_units pass(work_, grid_.tiles());
    parallel(threads_, [&](int thread) {
      tile_solver<Key> solver(near_, image_, grid_);
      while (!work_.how.stop.stop_requested()) {
        const auto tile = next.fetch_add(1, std::memory_order_relaxed);
        if (tile >= grid_.tiles()) return;
        visit(solver, tile);
        if (thread == 0) pass.tell(tile + 1);
      }
    });
    work_.check_stop();
  }

  void number_nodes() {
    std::int64_t nodes = 0;
    graph_.first_node.reserve(static_cast<std::size_t>(grid_.tiles()) + 1);
    for (std::int64_t tile = 0; tile < grid_.tiles(); ++tile) {
      graph_.first_node.push_back(static_cast<std::uint32_t>(nodes));
      nodes += rim_numbering(grid_.place(tile), near_.rank == 3).count();
    }
    graph_.first_node.push_back(static_cast<std::uint32_t>(nodes));
    graph_.capacity.resize(static_cast<std::size_t>(nodes));
    graph_.value.resize(static_cast<std::size_t>(nodes));
    // Fewer than one edge per node inside tiles, and about one per two nodes between them. Unused memory is
    // never touched, while growing would copy everything.
    graph_.edges.reserve(2 * static_cast<std::size_t>(nodes));
  }

  void add(std::vector<edge<Key>>& edges) {
    const std::lock_guard lock(graph_.adding);
    graph_.edges.insert(graph_.edges.end(), edges.begin(), edges.end());
  }

  /// One rim pixel, where there is one, represents a component.
  void reduce(tile_solver<Key>& solver, std::int64_t tile) {
    using forest = source_forest<Key, std::uint16_t>;
    solver.load(tile, from_);
    const auto& rim = solver.rim();
    auto& parts = solver.forest();
    const std::uint32_t first = graph_.first_node[static_cast<std::size_t>(tile)];
    for (std::size_t i = 0; i < rim.size(); ++i) {
      graph_.capacity[first + i] = solver.capacity(rim[i]);
      graph_.value[first + i] = solver.rim_states()[i];
    }
    std::vector<std::uint32_t> node(solver.pixels(), none);  // of peaks
    std::vector<edge<Key>> edges;
    const auto reach = [&](std::uint32_t n, Key value) {
      if (n != none) graph_.value[n] = std::max(graph_.value[n], value);
    };
    solver.contract(
        [&](std::uint16_t a, std::uint16_t b, Key weight) {
          switch (parts.join(a, b, weight)) {
            case forest::outcome::joined:
              if (node[a] != none && node[b] != none) edges.push_back({node[a], node[b], weight});
              if (node[b] == none) node[b] = node[a];
              break;
            case forest::outcome::first_final:
              reach(node[a], weight);
              break;
            case forest::outcome::second_final:
              reach(node[b], weight);
              break;
            case forest::outcome::nothing:
              break;
          }
        },
        [&](std::size_t i, std::uint16_t root) {
          const auto own = first + static_cast<std::uint32_t>(i);
          const auto weight = graph_.capacity[own];
          if (parts.is_final(root, weight))
            graph_.value[own] = weight;
          else if (node[root] == none)
            node[root] = own;
          else
            edges.push_back({node[root], own, weight});
        });
    // The best marker of a component is final only after all joins.
    for (const auto p : rim) {
      const auto root = parts.root(solver.peak(p));
      reach(node[root], parts.value(root));
    }
    add(edges);
  }

  /// Edges between a tile's rim and later tiles. Edges that cannot raise a value on either side are left out.
  void join_with_neighbours(std::int64_t tile) {
    const auto place = grid_.place(tile);
    const auto position = grid_.position(tile);
    const bool volume = near_.rank == 3;
    const rim_numbering own(place, volume);
    std::vector<edge<Key>> edges;
    for (int dz = 0; dz <= (volume ? 1 : 0); ++dz)
      for (int dy = dz == 0 ? 0 : -1; dy <= 1; ++dy)
        for (int dx = dz == 0 && dy == 0 ? 1 : -1; dx <= 1; ++dx) {
          const auto other = grid_.neighbour(position, dz, dy, dx);
          if (other < 0 || !near_.contains(dz, dy, dx)) continue;
          join_pair(tile, place, own, other, {dz, dy, dx}, edges);
        }
    add(edges);
  }

  void join_pair(std::int64_t tile, const tile_place& place, const rim_numbering& own, std::int64_t other,
                 site d, std::vector<edge<Key>>& edges) {
    const auto other_place = grid_.place(other);
    const rim_numbering theirs(other_place, near_.rank == 3);
    const auto first = graph_.first_node[static_cast<std::size_t>(tile)];
    const auto other_first = graph_.first_node[static_cast<std::size_t>(other)];
    const auto here = facing(place, d), there = facing(other_place, {-d.z, -d.y, -d.x});
    const auto node = [&](site p) {
      const auto of = [&](const tile_place& in, const rim_numbering& numbers) {
        return static_cast<std::uint32_t>(numbers.index(static_cast<int>(p.z - in.first.z),
                                                        static_cast<int>(p.y - in.first.y),
                                                        static_cast<int>(p.x - in.first.x)));
      };
      return here.contains(p) ? first + of(place, own) : other_first + of(other_place, theirs);
    };
    const auto weight = [&](site p, site q) {
      return std::min(graph_.capacity[node(p)], graph_.capacity[node(q)]);
    };
    boundary_edges<Key>().reduce(
        near_, here, there, weight,
        [&](site p, site q) { return weight(p, q) > std::min(graph_.value[node(p)], graph_.value[node(q)]); },
        [&](site p, site q) {
          edges.push_back({node(p), node(q), weight(p, q)});
        });
  }

  /// The part of a tile's rim that touches its neighbour in direction d.
  static rim_part facing(const tile_place& place, site d) {
    const auto first = [](std::int64_t from, std::int64_t step, int size) {
      return step > 0 ? from + size - 1 : from;
    };
    const auto size = [](std::int64_t step, int all) { return step == 0 ? all : 1; };
    return {{first(place.first.z, d.z, place.depth), first(place.first.y, d.y, place.height),
             first(place.first.x, d.x, place.width)},
            {size(d.z, place.depth), size(d.y, place.height), size(d.x, place.width)}};
  }

  void solve_graph() {
    auto& edges = graph_.edges;
    std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
    graph_.capacity = {};
    source_forest<Key, std::uint32_t> forest;
    forest.reset(graph_.value.size());
    for (std::uint32_t n = 0; n < graph_.value.size(); ++n) {
      forest.value(n) = graph_.value[n];
      forest.enter(n);
    }
    for (std::size_t k = 0; k < edges.size(); ++k) {
      if (k % (1 << 20) == 0) work_.check_stop();
      const auto e = edges[k];
      forest.join(forest.root(e.a), forest.root(e.b), e.weight);
    }
    for (std::uint32_t n = 0; n < graph_.value.size(); ++n) graph_.value[n] = forest.result(n);
    edges = {};
  }

  /// The number on the image's rim of every node that lies there; `none` elsewhere. Numbers are in raster
  /// order of the image, nodes in that of tiles.
  std::vector<std::uint32_t> numbers_on_rim() const {
    const bool volume = near_.rank == 3;
    const tile_place all{{0, 0, 0},
                         static_cast<int>(image_.width),
                         static_cast<int>(image_.height),
                         static_cast<int>(image_.depth)};
    const rim_numbering outer(all, volume);
    std::vector<std::uint32_t> numbers(graph_.value.size(), none);
    for (std::int64_t tile = 0; tile < grid_.tiles(); ++tile) {
      const auto place = grid_.place(tile);
      const rim_numbering own(place, volume);
      const auto first = graph_.first_node[static_cast<std::size_t>(tile)];
      for (int z = 0; z < place.depth; ++z)
        for (int y = 0; y < place.height; ++y)
          for (int x = 0; x < place.width; ++x) {
            const int at_z = static_cast<int>(place.first.z) + z, at_y = static_cast<int>(place.first.y) + y,
                      at_x = static_cast<int>(place.first.x) + x;
            const bool row =
                at_y == 0 || at_y == all.height - 1 || (volume && (at_z == 0 || at_z == all.depth - 1));
            if (!row && at_x != 0 && at_x != all.width - 1) {
              // Skips to the last column.
              x = std::max(x, static_cast<int>(all.width - 2 - place.first.x));
              continue;
            }
            numbers[first + static_cast<std::uint32_t>(own.index(z, y, x))] =
                static_cast<std::uint32_t>(outer.index(at_z, at_y, at_x));
          }
    }
    return numbers;
  }

  void contract_graph(function_ref<void(std::uint32_t, std::uint32_t, Key)> visit) {
    auto outer = numbers_on_rim();
    auto& edges = graph_.edges;
    // Neighbours on the rim come first at equal weight: their edges are free.
    const auto told = edges.size();
    add_edges_along_rim(outer);
    std::vector<std::uint32_t> order(edges.size()), spare;
    std::iota(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(edges.size() - told),
              static_cast<std::uint32_t>(told));
    std::iota(order.begin() + static_cast<std::ptrdiff_t>(edges.size() - told), order.end(), 0u);
    std::vector<Key> weights;
    weights.reserve(edges.size());
    for (const auto& each : edges) weights.push_back(each.weight);
    descending<Key, std::uint32_t>(weights, order, spare);
    std::vector<std::uint32_t> parent(outer.size());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](std::uint32_t n) {
      while (parent[n] != n) n = parent[n] = parent[parent[n]];
      return n;
    };
    for (const auto k : order) {
      const auto e = edges[k];
      if (graph_.value[e.a] >= e.weight || graph_.value[e.b] >= e.weight) continue;
      const auto a = root(e.a), b = root(e.b);
      if (a == b) continue;
      parent[a] = b;
      if (outer[b] == none)
        outer[b] = outer[a];
      else if (outer[a] != none && k < told)
        visit(outer[a], outer[b], e.weight);
    }
  }

  void add_edges_along_rim(const std::vector<std::uint32_t>& outer) {
    std::vector<std::uint32_t> node(outer.size(), none);  // by number on the rim
    for (std::uint32_t n = 0; n < outer.size(); ++n)
      if (outer[n] != none) node[outer[n]] = n;
    const bool volume = near_.rank == 3;
    const int depth = static_cast<int>(image_.depth), height = static_cast<int>(image_.height),
              width = static_cast<int>(image_.width);
    const rim_numbering numbers({{0, 0, 0}, width, height, depth}, volume);
    const auto on_rim = [&](int z, int y, int x) {
      return y == 0 || x == 0 || y == height - 1 || x == width - 1 || (volume && (z == 0 || z == depth - 1));
    };
    const auto join = [&](std::uint32_t a, int z, int y, int x) {
      if (z >= depth || y >= height || x >= width || !on_rim(z, y, x)) return;
      const auto b = node[static_cast<std::size_t>(numbers.index(z, y, x))];
      graph_.edges.push_back({a, b, std::min(graph_.capacity[a], graph_.capacity[b])});
    };
    for (int z = 0; z < depth; ++z)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          if (!on_rim(z, y, x)) {
            x = std::max(x, width - 2);
            continue;
          }
          const auto a = node[static_cast<std::size_t>(numbers.index(z, y, x))];
          join(a, z, y, x + 1);
          join(a, z, y + 1, x);
          if (volume) join(a, z + 1, y, x);
        }
  }

  void finish(tile_solver<Key>& solver, std::int64_t tile) {
    solver.load(tile, from_);
    const std::uint32_t first = graph_.first_node[static_cast<std::size_t>(tile)];
    auto& parts = solver.forest();
    for (std::size_t i = 0; i < solver.rim().size(); ++i)
      solver.raise(solver.rim()[i], graph_.value[first + i]);
    solver.contract([&](std::uint16_t a, std::uint16_t b, Key weight) { parts.join(a, b, weight); });
    solver.write_results();
  }

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  job& work_;
  neighbourhood near_;
  const wave_image<Key>& image_;
  contract_from from_;
  int threads_;
  tile_grid grid_;
  rim_graph<Key> graph_;
};

}  // namespace

template <class Key>
bool can_contract(const neighbourhood& near, const wave_image<Key>& image) {
  return count_nodes(near, image) < std::numeric_limits<std::uint32_t>::max();
}

template <class Key>
std::int64_t contraction_memory(const neighbourhood& near, const wave_image<Key>& image) {
  // Per node: at most one edge inside its tile, about half an edge to other tiles, its value, and its entry
  // in the forest.
  constexpr std::int64_t edges = 3 * sizeof(edge<Key>) / 2, forest = sizeof(std::uint32_t) + sizeof(Key) + 1;
  return count_nodes(near, image) * (edges + static_cast<std::int64_t>(sizeof(Key)) + forest);
}

template <class Key>
void contract(job& work, const neighbourhood& near, const wave_image<Key>& image, contract_from from,
              int threads) {
  contraction<Key>(work, near, image, from, threads).run();
}

template <class Key>
void contract_to_rim(job& work, const neighbourhood& near, const wave_image<Key>& image, int threads,
                     function_ref<void(std::uint32_t, std::uint32_t, Key)> visit) {
  contraction<Key>(work, near, image, contract_from::states, threads).run_to_rim(visit);
}

}  // namespace macareu::cpu

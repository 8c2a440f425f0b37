#include "engines/cpu/wave/contraction.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numeric>
#include <vector>

#include "engines/cpu/threads.hpp"
#include "engines/cpu/wave/descending.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "engines/cpu/wave/rim_numbering.hpp"
#include "engines/cpu/wave/source_forest.hpp"
#include "engines/cpu/wave/tile_solver.hpp"

namespace macareu::cpu {
namespace {

/// With one pixel around it a tile's pixels are numbered in 16 bits.
constexpr tile_size image_tile{256, 128, 1}, volume_tile{64, 32, 16};

template <class Key>
struct edge {
  std::uint32_t a, b;
  Key weight;
};

/// Rim pixels are the nodes of the graph; node numbers are given tile by tile.
template <class Key>
struct rim_graph {
  std::vector<std::uint32_t> first_node;  // of each tile, and one past the last
  std::vector<Key> capacity, value;       // of each node
  std::vector<edge<Key>> edges;
  std::mutex adding;
};

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
        grid_(image.depth, image.height, image.width, near.rank == 3 ? volume_tile : image_tile) {}

  void run() {
    number_nodes();
    over_tiles([&](tile_solver<Key>& solver, std::int64_t tile) { reduce(solver, tile); });
    over_tiles([&](tile_solver<Key>&, std::int64_t tile) { join_with_neighbours(tile); });
    solve_graph();
    over_tiles([&](tile_solver<Key>& solver, std::int64_t tile) { finish(solver, tile); });
  }

 private:
  template <class Visit>
  void over_tiles(Visit&& visit) {
    std::atomic<std::int64_t> next{0};
    parallel(threads_, [&](int) {
      tile_solver<Key> solver(near_, image_, grid_);
      while (!work_.how.stop.stop_requested()) {
        const auto tile = next.fetch_add(1, std::memory_order_relaxed);
        if (tile >= grid_.tiles()) return;
        visit(solver, tile);
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
      if (nodes >= std::numeric_limits<std::uint32_t>::max())
        throw usage_error("strategy contraction: the image is too large for it; use tiles");
    }
    graph_.first_node.push_back(static_cast<std::uint32_t>(nodes));
    graph_.capacity.resize(static_cast<std::size_t>(nodes));
    graph_.value.resize(static_cast<std::size_t>(nodes));
  }

  void add(std::vector<edge<Key>>& edges) {
    const std::lock_guard lock(graph_.adding);
    graph_.edges.insert(graph_.edges.end(), edges.begin(), edges.end());
  }

  /// A component is known by one of its rim pixels, where it has one.
  void reduce(tile_solver<Key>& solver, std::int64_t tile) {
    using forest = source_forest<Key, std::uint16_t>;
    solver.load(tile, from_);
    constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    const auto& rim = solver.rim();
    auto& parts = solver.forest();
    const std::uint32_t first = graph_.first_node[static_cast<std::size_t>(tile)];
    std::vector<std::uint32_t> node(solver.pixels(), none);
    for (std::size_t i = 0; i < rim.size(); ++i) {
      node[rim[i]] = first + static_cast<std::uint32_t>(i);
      graph_.capacity[first + i] = solver.capacity(rim[i]);
      graph_.value[first + i] = parts.value(rim[i]);
    }
    std::vector<edge<Key>> edges;
    const auto reach = [&](std::uint32_t n, Key value) {
      if (n != none) graph_.value[n] = std::max(graph_.value[n], value);
    };
    solver.contract([&](std::uint16_t a, std::uint16_t b, Key weight) {
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
    });
    // A component knows its markers' best value only here, where nothing of it can join any more.
    for (const auto p : rim) {
      const auto root = parts.root(p);
      reach(node[root], parts.value(root));
    }
    add(edges);
  }

  /// Edges between a tile's rim and the tiles that come after it; those that no value can improve on either
  /// side are left out.
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
    const auto theirs_place = grid_.place(other);
    const rim_numbering theirs(theirs_place, near_.rank == 3);
    const auto first = graph_.first_node[static_cast<std::size_t>(tile)];
    const auto other_first = graph_.first_node[static_cast<std::size_t>(other)];
    const auto from = [](std::int64_t step, int size) { return step > 0 ? size - 1 : 0; };
    const auto to = [](std::int64_t step, int size) { return step < 0 ? 0 : size - 1; };
    for (int z = from(d.z, place.depth); z <= to(d.z, place.depth); ++z)
      for (int y = from(d.y, place.height); y <= to(d.y, place.height); ++y)
        for (int x = from(d.x, place.width); x <= to(d.x, place.width); ++x)
          near_.for_each({place.first.z + z, place.first.y + y, place.first.x + x}, [&](site q) {
            const site in{q.z - theirs_place.first.z, q.y - theirs_place.first.y, q.x - theirs_place.first.x};
            if (in.z < 0 || in.y < 0 || in.x < 0 || in.z >= theirs_place.depth ||
                in.y >= theirs_place.height || in.x >= theirs_place.width)
              return;
            const auto a = first + static_cast<std::uint32_t>(own.index(z, y, x));
            const auto b =
                other_first + static_cast<std::uint32_t>(theirs.index(
                                  static_cast<int>(in.z), static_cast<int>(in.y), static_cast<int>(in.x)));
            const Key weight = std::min(graph_.capacity[a], graph_.capacity[b]);
            if (weight > graph_.value[a] || weight > graph_.value[b]) edges.push_back({a, b, weight});
          });
  }

  void solve_graph() {
    std::vector<Key> weights;
    weights.reserve(graph_.edges.size());
    for (const auto& e : graph_.edges) weights.push_back(e.weight);
    std::vector<std::uint32_t> order(weights.size()), spare;
    std::iota(order.begin(), order.end(), 0u);
    descending<Key, std::uint32_t>(weights, order, spare);
    source_forest<Key, std::uint32_t> forest;
    forest.reset(graph_.value.size());
    for (std::uint32_t n = 0; n < graph_.value.size(); ++n) {
      forest.value(n) = graph_.value[n];
      forest.enter(n);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k % (1 << 20) == 0) work_.check_stop();
      const auto& e = graph_.edges[order[k]];
      forest.join(forest.root(e.a), forest.root(e.b), e.weight);
    }
    for (std::uint32_t n = 0; n < graph_.value.size(); ++n) graph_.value[n] = forest.result(n);
    graph_.edges = {};
  }

  void finish(tile_solver<Key>& solver, std::int64_t tile) {
    solver.load(tile, from_);
    const std::uint32_t first = graph_.first_node[static_cast<std::size_t>(tile)];
    auto& parts = solver.forest();
    for (std::size_t i = 0; i < solver.rim().size(); ++i)
      parts.value(solver.rim()[i]) = graph_.value[first + i];
    solver.contract([&](std::uint16_t a, std::uint16_t b, Key weight) { parts.join(a, b, weight); });
    solver.write_results();
  }

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
  // A rim pixel has at most 1 edge inside its tile and 13 (in images 4) to tiles that come after it; the rim
  // is a fifth of a volume's pixels and a fortieth of an image's, and all of them where a side is short.
  const std::int64_t pixels = image.depth * image.height * image.width;
  const bool slim = std::min(image.height, image.width) < 64 || (near.rank == 3 && image.depth < 8);
  const std::int64_t edges =
      near.rank == 3 ? 14 * (slim ? pixels : pixels / 4) : 5 * (slim ? pixels : pixels / 32);
  return edges < std::numeric_limits<std::uint32_t>::max();
}

template <class Key>
void contract(job& work, const neighbourhood& near, const wave_image<Key>& image, contract_from from,
              int threads) {
  contraction<Key>(work, near, image, from, threads).run();
}

template bool can_contract(const neighbourhood&, const wave_image<std::uint8_t>&);
template void contract(job&, const neighbourhood&, const wave_image<std::uint8_t>&, contract_from, int);
template bool can_contract(const neighbourhood&, const wave_image<std::uint16_t>&);
template void contract(job&, const neighbourhood&, const wave_image<std::uint16_t>&, contract_from, int);
template bool can_contract(const neighbourhood&, const wave_image<std::uint32_t>&);
template void contract(job&, const neighbourhood&, const wave_image<std::uint32_t>&, contract_from, int);
template bool can_contract(const neighbourhood&, const wave_image<std::uint64_t>&);
template void contract(job&, const neighbourhood&, const wave_image<std::uint64_t>&, contract_from, int);

}  // namespace macareu::cpu

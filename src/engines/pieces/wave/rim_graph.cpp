#include "engines/pieces/wave/rim_graph.hpp"

#include <algorithm>
#include <limits>

#include <macareu/error.hpp>

#include "engines/cpu/wave/source_forest.hpp"

namespace macareu::pieces {

template <class Key>
rim_graph<Key>::rim_graph(const piece_grid& grid, const neighbourhood& near)
    : grid_(grid), near_(near), pieces_(static_cast<std::size_t>(grid.count())) {}

template <class Key>
void rim_graph<Key>::solve() {
  std::vector<std::uint32_t> first(pieces_.size() + 1);
  std::uint64_t nodes = 0;
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    first[k] = static_cast<std::uint32_t>(nodes);
    nodes += pieces_[k].value.size();
  }
  if (nodes >= std::numeric_limits<std::uint32_t>::max())
    throw usage_error("pieces: " + std::to_string(nodes) +
                      " pixels on the rims of pieces are more than 2^32 - 2; use larger pieces");
  std::vector<rim_edge<Key>> edges;
  const bool volume = near_.rank == 3;
  const auto add = [&](std::uint32_t a, Key value_a, std::uint32_t b, Key value_b, Key weight) {
    if (weight > std::min(value_a, value_b)) edges.push_back({a, b, weight});
  };
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    auto& own = pieces_[k];
    for (const auto& edge : own.edges)
      add(first[k] + edge.a, own.value[edge.a], first[k] + edge.b, own.value[edge.b], edge.weight);
    own.edges = {};
    const auto piece = grid_.piece(static_cast<std::int64_t>(k));
    const auto rim = rim_of(piece, volume);
    const auto index = [](const cpu::rim_numbering& of, site p) {
      return static_cast<std::uint32_t>(
          of.index(static_cast<int>(p.z), static_cast<int>(p.y), static_cast<int>(p.x)));
    };
    const auto on_rim = [&](site p) {
      return p.y == 0 || p.x == 0 || p.y == piece.size.y - 1 || p.x == piece.size.x - 1 ||
             (volume && (p.z == 0 || p.z == piece.size.z - 1));
    };
    std::uint32_t a = 0;
    for_each_on_rim(piece, volume, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const site here{z, y, x};
      const Key capacity = own.capacity[a], value = own.value[a];
      near_.for_each(here, [&](site q) {
        const site d = q - here;
        if (d.z < 0 || (d.z == 0 && (d.y < 0 || (d.y == 0 && d.x < 0)))) return;  // from the other side
        const site there = q + piece.first;
        if (piece.contains(there)) {
          if (d.z * d.z + d.y * d.y + d.x * d.x > 1 || !on_rim(q)) return;
          const auto b = index(rim, q);
          add(first[k] + a, value, first[k] + b, own.value[b], std::min(capacity, own.capacity[b]));
        } else if (grid_.whole().contains(there)) {
          const auto n = static_cast<std::size_t>(grid_.piece_at(there));
          const auto other = grid_.piece(static_cast<std::int64_t>(n));
          const auto b = index(rim_of(other, volume), there - other.first);
          add(first[k] + a, value, first[n] + b, pieces_[n].value[b],
              std::min(capacity, pieces_[n].capacity[b]));
        }
      });
      ++a;
    });
  }
  for (auto& piece : pieces_) piece.capacity = {};
  std::ranges::sort(edges, [](const auto& a, const auto& b) { return a.weight > b.weight; });
  cpu::source_forest<Key, std::uint32_t> forest;
  forest.reset(static_cast<std::size_t>(nodes));
  const auto over_nodes = [&](auto&& visit) {
    for (std::size_t k = 0; k < pieces_.size(); ++k)
      for (std::size_t i = 0; i < pieces_[k].value.size(); ++i)
        visit(static_cast<std::uint32_t>(first[k] + i), pieces_[k].value[i]);
  };
  over_nodes([&](std::uint32_t n, Key& value) {
    forest.value(n) = value;
    forest.enter(n);
  });
  for (const auto& edge : edges) forest.join(forest.root(edge.a), forest.root(edge.b), edge.weight);
  over_nodes([&](std::uint32_t n, Key& value) { value = forest.result(n); });
}

template class rim_graph<std::uint8_t>;
template class rim_graph<std::uint16_t>;
template class rim_graph<std::uint32_t>;
template class rim_graph<std::uint64_t>;

}  // namespace macareu::pieces

// The graph of rims, of any key; narrow_keys.cpp and wide_keys.cpp compile them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <macareu/error.hpp>

#include "engines/cpu/wave/source_forest.hpp"
#include "engines/pieces/wave/rim_graph.hpp"

namespace macareu::pieces {
namespace {

constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();

bool is_on_rim(const box& of, site p, bool volume) {
  return p.y == 0 || p.x == 0 || p.y == of.size.y - 1 || p.x == of.size.x - 1 ||
         (volume && (p.z == 0 || p.z == of.size.z - 1));
}

std::uint32_t index_on(const cpu::rim_numbering& rim, site p) {
  return static_cast<std::uint32_t>(
      rim.index(static_cast<int>(p.z), static_cast<int>(p.y), static_cast<int>(p.x)));
}

/// Steps to neighbours that follow in raster order: of two neighbours only the first joins them.
std::vector<site> steps_forward(const neighbourhood& near) {
  std::vector<site> steps;
  near.for_each({0, 0, 0}, [&](site step) {
    if (step.z > 0 || (step.z == 0 && (step.y > 0 || (step.y == 0 && step.x > 0)))) steps.push_back(step);
  });
  return steps;
}

bool is_along_axis(site step) { return step.z * step.z + step.y * step.y + step.x * step.x == 1; }

/// The widest first. Keys of one byte, of which there are many more edges than values, are counted. Edges
/// are moved in place, because a copy would be as large as the graph.
template <class Key>
void sort_by_width(std::vector<rim_edge<Key>>& edges) {
  if constexpr (sizeof(Key) > 1) {
    std::ranges::sort(edges, [](const auto& a, const auto& b) { return a.weight > b.weight; });
  } else {
    std::array<std::size_t, 257> end{};
    for (const auto& edge : edges) ++end[256u - edge.weight];
    std::partial_sum(end.begin(), end.end(), end.begin());
    auto next = end;  // where the next edge of a width belongs
    for (std::size_t rank = 0; rank < 256; ++rank)
      while (next[rank] < end[rank + 1]) {
        auto& edge = edges[next[rank]];
        const auto own = 255u - edge.weight;
        if (own == rank)
          ++next[rank];
        else
          std::swap(edge, edges[next[own]++]);
      }
  }
}

}  // namespace

template <class Key>
rim_graph<Key>::rim_graph(const box& whole, const box& outer, std::vector<box> boxes,
                          std::function<std::size_t(site)> at, const neighbourhood& near)
    : whole_(whole),
      outer_(outer),
      boxes_(std::move(boxes)),
      at_(std::move(at)),
      near_(near),
      rims_(boxes_.size()) {
  for (const auto& place : boxes_) numbering_.push_back(rim_of(place, near_.rank == 3));
}

template <class Key>
std::uint32_t rim_graph<Key>::number(std::size_t of, site p) const {
  return index_on(numbering_[of], p - boxes_[of].first);
}

template <class Key>
std::size_t rim_graph<Key>::expected_edges() const {
  const bool volume = near_.rank == 3;
  // Steps across a face: of two boxes one has the edges between them.
  std::int64_t across = 0;
  for (const auto& step : steps_forward(near_)) across += volume ? step.z > 0 : step.y > 0;
  std::size_t edges = 0;
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    edges += rims_[k].edges.size() + rims_[k].value.size() * (volume ? 2 : 1);
    const auto& [first, size] = boxes_[k];
    const auto last = boxes_[k].end(), end = outer_.end();
    const auto faces = [](bool before, bool behind) { return std::int64_t{before} + std::int64_t{behind}; };
    const auto open = faces(first.z > outer_.first.z, last.z < end.z) * size.y * size.x +
                      faces(first.y > outer_.first.y, last.y < end.y) * size.z * size.x +
                      faces(first.x > outer_.first.x, last.x < end.x) * size.z * size.y;
    edges += static_cast<std::size_t>(open * across) / 2;
  }
  return edges;
}

template <class Key>
void rim_graph<Key>::find_edges() {
  std::uint64_t nodes = 0;
  for (const auto& rim : rims_) {
    first_.push_back(static_cast<std::uint32_t>(nodes));
    nodes += rim.value.size();
  }
  if (nodes >= no_node)
    throw usage_error("pieces: " + std::to_string(nodes) +
                      " pixels on the rims of pieces are more than 2^32 - 2; use larger pieces");
  first_.push_back(static_cast<std::uint32_t>(nodes));
  const bool volume = near_.rank == 3;
  const auto steps = steps_forward(near_);
  edges_.reserve(expected_edges());
  const auto add = [&](std::uint32_t a, Key value_a, std::uint32_t b, Key value_b, Key weight) {
    if (weight > std::min(value_a, value_b)) edges_.push_back({a, b, weight});
  };
  for (std::size_t k = 0; k < rims_.size(); ++k) {
    auto& own = rims_[k];
    for (const auto& edge : own.edges)
      add(first_[k] + edge.a, own.value[edge.a], first_[k] + edge.b, own.value[edge.b], edge.weight);
    own.edges = {};
    const auto& place = boxes_[k];
    std::uint32_t a = 0;
    for_each_on_rim(place, volume, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const site here{z, y, x};
      const Key capacity = own.capacity[a], value = own.value[a];
      for (const auto& step : steps) {
        const site q = here + step, there = q + place.first;
        if (place.contains(there)) {
          if (!is_along_axis(step) || !is_on_rim(place, q, volume)) continue;
          const auto b = index_on(numbering_[k], q);
          add(first_[k] + a, value, first_[k] + b, own.value[b], std::min(capacity, own.capacity[b]));
        } else if (outer_.contains(there)) {
          const auto n = at_(there);
          const auto b = number(n, there);
          add(first_[k] + a, value, first_[n] + b, rims_[n].value[b],
              std::min(capacity, rims_[n].capacity[b]));
        }
      }
      ++a;
    });
  }
  sort_by_width(edges_);
}

template <class Key>
void rim_graph<Key>::solve() {
  if (first_.empty()) find_edges();
  cpu::source_forest<Key, std::uint32_t> forest;
  forest.reset(first_.back());
  const auto over_nodes = [&](auto&& visit) {
    for (std::size_t k = 0; k < rims_.size(); ++k)
      for (std::size_t i = 0; i < rims_[k].value.size(); ++i)
        visit(static_cast<std::uint32_t>(first_[k] + i), rims_[k].value[i]);
  };
  over_nodes([&](std::uint32_t n, Key& value) {
    forest.value(n) = value;
    forest.enter(n);
  });
  for (const auto& edge : edges_) forest.join(forest.root(edge.a), forest.root(edge.b), edge.weight);
  over_nodes([&](std::uint32_t n, Key& value) { value = forest.result(n); });
}

template <class Key>
template <class Visit>
void rim_graph<Key>::over_outer_rim(const Visit& visit) const {
  for_each_on_rim(outer_, near_.rank == 3, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    const site p = outer_.first + site{z, y, x};
    const auto of = at_(p);
    visit(p, of, number(of, p));
  });
}

template <class Key>
rim_summary<Key> rim_graph<Key>::contract() {
  solve();
  const bool volume = near_.rank == 3;
  // A pixel has neighbours outside if one of its faces has.
  const site last = outer_.end() - site{1, 1, 1}, end = whole_.end() - site{1, 1, 1};
  const auto is_open = [&](site p) {
    return (p.y == outer_.first.y && p.y > whole_.first.y) || (p.y == last.y && p.y < end.y) ||
           (p.x == outer_.first.x && p.x > whole_.first.x) || (p.x == last.x && p.x < end.x) ||
           (volume && ((p.z == outer_.first.z && p.z > whole_.first.z) || (p.z == last.z && p.z < end.z)));
  };
  rim_summary<Key> summary;
  // Components of nodes that are joined so far. Each has one of its pixels on the outer rim, if it has some.
  std::vector<std::uint32_t> parent(first_.back()), outer(first_.back(), no_node), node;
  std::iota(parent.begin(), parent.end(), std::uint32_t{0});
  over_outer_rim([&](site p, std::size_t of, std::uint32_t i) {
    const bool open = is_open(p);
    if (open) outer[first_[of] + i] = static_cast<std::uint32_t>(node.size());
    node.push_back(first_[of] + i);
    summary.capacity.push_back(open ? rims_[of].capacity[i] : Key{0});
    summary.value.push_back(open ? rims_[of].value[i] : Key{0});
  });
  std::vector<Key> value(first_.back());
  for (std::size_t k = 0; k < rims_.size(); ++k) std::ranges::copy(rims_[k].value, value.begin() + first_[k]);
  // Nothing that comes from outside passes an edge below the values at its ends.
  const auto is_passed = [&](const rim_edge<Key>& edge) {
    return edge.weight > value[edge.a] && edge.weight > value[edge.b];
  };
  // Neighbours on the outer rim are joined without being listed.
  const auto rim = rim_of(outer_, volume);
  auto steps = steps_forward(near_);
  std::erase_if(steps, [](site step) { return !is_along_axis(step); });
  std::vector<rim_edge<Key>> unlisted;
  std::uint32_t a = 0;
  for_each_on_rim(outer_, volume, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    const site here{z, y, x};
    for (const auto& step : steps) {
      const site q = here + step;
      if (summary.capacity[a] <= summary.value[a]) break;
      if (!outer_.contains(outer_.first + q) || !is_on_rim(outer_, q, volume)) continue;
      const auto b = index_on(rim, q);
      const rim_edge<Key> edge{node[a], node[b], std::min(summary.capacity[a], summary.capacity[b])};
      if (is_passed(edge)) unlisted.push_back(edge);
    }
    ++a;
  });
  sort_by_width(unlisted);
  const auto root = [&](std::uint32_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  const auto join = [&](const rim_edge<Key>& edge, bool is_listed) {
    if (!is_passed(edge)) return;
    const auto from = root(edge.a), to = root(edge.b);
    if (from == to) return;
    if (is_listed && outer[from] != no_node && outer[to] != no_node)
      summary.edges.push_back({outer[from], outer[to], edge.weight});
    parent[from] = to;
    if (outer[to] == no_node) outer[to] = outer[from];
  };
  auto next = unlisted.begin();
  for (const auto& edge : edges_) {
    for (; next != unlisted.end() && next->weight >= edge.weight; ++next) join(*next, false);
    join(edge, true);
  }
  return summary;
}

template <class Key>
void rim_graph<Key>::raise(const std::vector<Key>& outside) {
  std::size_t i = 0;
  over_outer_rim([&](site, std::size_t of, std::uint32_t n) {
    auto& value = rims_[of].value[n];
    value = std::max(value, outside[i++]);
  });
}

}  // namespace macareu::pieces

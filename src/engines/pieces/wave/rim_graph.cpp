#include "engines/pieces/wave/rim_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <macareu/error.hpp>

#include "engines/cpu/wave/source_forest.hpp"

namespace macareu::pieces {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

bool is_on_rim(const box& of, site p, bool volume) {
  return p.y == 0 || p.x == 0 || p.y == of.size.y - 1 || p.x == of.size.x - 1 ||
         (volume && (p.z == 0 || p.z == of.size.z - 1));
}

std::uint32_t index_on(const cpu::rim_numbering& rim, site p) {
  return static_cast<std::uint32_t>(
      rim.index(static_cast<int>(p.z), static_cast<int>(p.y), static_cast<int>(p.x)));
}

/// Of two neighbours only the first, in raster order, joins them.
bool comes_from_other_side(site step) {
  return step.z < 0 || (step.z == 0 && (step.y < 0 || (step.y == 0 && step.x < 0)));
}

bool is_along_axis(site step) { return step.z * step.z + step.y * step.y + step.x * step.x == 1; }

template <class Key>
bool is_wider(const rim_edge<Key>& a, const rim_edge<Key>& b) {
  return a.weight > b.weight;
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
      rims_(boxes_.size()) {}

template <class Key>
std::uint32_t rim_graph<Key>::number(std::size_t of, site p) const {
  return index_on(rim_of(boxes_[of], near_.rank == 3), p - boxes_[of].first);
}

template <class Key>
void rim_graph<Key>::find_edges() {
  std::uint64_t nodes = 0;
  for (const auto& rim : rims_) {
    first_.push_back(static_cast<std::uint32_t>(nodes));
    nodes += rim.value.size();
  }
  if (nodes >= none)
    throw usage_error("pieces: " + std::to_string(nodes) +
                      " pixels on the rims of pieces are more than 2^32 - 2; use larger pieces");
  first_.push_back(static_cast<std::uint32_t>(nodes));
  const bool volume = near_.rank == 3;
  const auto add = [&](std::uint32_t a, Key value_a, std::uint32_t b, Key value_b, Key weight) {
    if (weight > std::min(value_a, value_b)) edges_.push_back({a, b, weight});
  };
  for (std::size_t k = 0; k < rims_.size(); ++k) {
    auto& own = rims_[k];
    for (const auto& edge : own.edges)
      add(first_[k] + edge.a, own.value[edge.a], first_[k] + edge.b, own.value[edge.b], edge.weight);
    own.edges = {};
    const auto& place = boxes_[k];
    const auto rim = rim_of(place, volume);
    std::uint32_t a = 0;
    for_each_on_rim(place, volume, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const site here{z, y, x};
      const Key capacity = own.capacity[a], value = own.value[a];
      near_.for_each(here, [&](site q) {
        if (comes_from_other_side(q - here)) return;
        const site there = q + place.first;
        if (place.contains(there)) {
          if (!is_along_axis(q - here) || !is_on_rim(place, q, volume)) return;
          const auto b = index_on(rim, q);
          add(first_[k] + a, value, first_[k] + b, own.value[b], std::min(capacity, own.capacity[b]));
        } else if (outer_.contains(there)) {
          const auto n = at_(there);
          const auto b = number(n, there);
          add(first_[k] + a, value, first_[n] + b, rims_[n].value[b],
              std::min(capacity, rims_[n].capacity[b]));
        }
      });
      ++a;
    });
  }
  std::ranges::sort(edges_, is_wider<Key>);
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
  rim_summary<Key> summary;
  // Components of nodes that are joined so far. Each has one of its pixels on the outer rim, if it has some.
  std::vector<std::uint32_t> parent(first_.back()), outer(first_.back(), none), node;
  std::iota(parent.begin(), parent.end(), std::uint32_t{0});
  over_outer_rim([&](site p, std::size_t of, std::uint32_t i) {
    bool is_open = false;
    near_.for_each(p, [&](site q) { is_open |= !outer_.contains(q) && whole_.contains(q); });
    if (is_open) outer[first_[of] + i] = static_cast<std::uint32_t>(node.size());
    node.push_back(first_[of] + i);
    summary.capacity.push_back(is_open ? rims_[of].capacity[i] : Key{0});
    summary.value.push_back(is_open ? rims_[of].value[i] : Key{0});
  });
  std::vector<Key> value(first_.back());
  for (std::size_t k = 0; k < rims_.size(); ++k) std::ranges::copy(rims_[k].value, value.begin() + first_[k]);
  // Neighbours on the outer rim are joined without being listed.
  const bool volume = near_.rank == 3;
  const auto rim = rim_of(outer_, volume);
  std::vector<rim_edge<Key>> unlisted;
  std::uint32_t a = 0;
  for_each_on_rim(outer_, volume, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    const site here{z, y, x};
    near_.for_each(here, [&](site q) {
      if (comes_from_other_side(q - here) || !is_along_axis(q - here)) return;
      if (!outer_.contains(outer_.first + q) || !is_on_rim(outer_, q, volume)) return;
      const auto b = index_on(rim, q);
      unlisted.push_back({node[a], node[b], std::min(summary.capacity[a], summary.capacity[b])});
    });
    ++a;
  });
  std::ranges::sort(unlisted, is_wider<Key>);
  const auto root = [&](std::uint32_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  const auto join = [&](const rim_edge<Key>& edge, bool is_listed) {
    // Nothing that comes from outside passes an edge below the values at its ends.
    if (edge.weight <= value[edge.a] || edge.weight <= value[edge.b]) return;
    const auto from = root(edge.a), to = root(edge.b);
    if (from == to) return;
    if (is_listed && outer[from] != none && outer[to] != none)
      summary.edges.push_back({outer[from], outer[to], edge.weight});
    parent[from] = to;
    if (outer[to] == none) outer[to] = outer[from];
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

template class rim_graph<std::uint8_t>;
template class rim_graph<std::uint16_t>;
template class rim_graph<std::uint32_t>;
template class rim_graph<std::uint64_t>;

}  // namespace macareu::pieces

// The necessary edges between two neighbouring tiles: a spanning forest of the two rims.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "core/neighbourhood.hpp"
#include "core/site.hpp"
#include "engines/cpu/wave/descending.hpp"

namespace macareu::cpu {

/// Pixels of a tile that lie in a box: a face, an edge or a corner.
struct rim_part {
  site first, size;  // in the image
  std::int64_t count() const { return size.z * size.y * size.x; }
  bool contains(site p) const {
    return p.z >= first.z && p.y >= first.y && p.x >= first.x && p.z < first.z + size.z &&
           p.y < first.y + size.y && p.x < first.x + size.x;
  }
  std::int64_t index(site p) const {
    return ((p.z - first.z) * size.y + p.y - first.y) * size.x + p.x - first.x;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::int64_t z = first.z; z < first.z + size.z; ++z)
      for (std::int64_t y = first.y; y < first.y + size.y; ++y)
        for (std::int64_t x = first.x; x < first.x + size.x; ++x) visit(site{z, y, x});
  }
};

/// With 26 neighbours, nine edges lead from a pixel to the next tile, but pixels that touch inside their tile
/// are connected already. A maximum spanning forest of both rims preserves all widest paths. Only its edges
/// between the tiles are kept, hardly more than one per pixel.
template <class Key>
class boundary_edges {
 public:
  /// visit(p, q) for every edge that is kept, with p in `own` and q in `other`. weight(p, q): of the edge.
  /// useful(p, q): whether any value can pass it.
  template <class Weight, class Useful, class Visit>
  void reduce(const neighbourhood& near, const rim_part& own, const rim_part& other, Weight&& weight,
              Useful&& useful, Visit&& visit) {
    edges_.clear();
    weights_.clear();
    const auto add = [&](site p, site q, std::int64_t a, std::int64_t b, bool between) {
      edges_.push_back({p, q, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), between});
      weights_.push_back(weight(p, q));
    };
    // Edges inside the tiles come first: at equal weight they are free.
    for (const auto* part : {&own, &other}) {
      const auto start = part == &own ? 0 : own.count();
      part->for_each([&](site p) {
        near.for_each(p, [&](site q) {
          if (part->contains(q) && part->index(q) > part->index(p))
            add(p, q, start + part->index(p), start + part->index(q), false);
        });
      });
    }
    own.for_each([&](site p) {
      near.for_each(p, [&](site q) {
        if (other.contains(q) && useful(p, q)) add(p, q, own.index(p), own.count() + other.index(q), true);
      });
    });
    order_.resize(edges_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    descending<Key, std::uint32_t>(weights_, order_, spare_);
    parent_.resize(static_cast<std::size_t>(own.count() + other.count()));
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const auto k : order_) {
      const auto& e = edges_[k];
      const auto a = root(e.a), b = root(e.b);
      if (a == b) continue;
      parent_[a] = b;
      if (e.between) visit(e.p, e.q);
    }
  }

 private:
  struct edge {
    site p, q;
    std::uint32_t a, b;
    bool between;
  };
  std::uint32_t root(std::uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  std::vector<edge> edges_;
  std::vector<Key> weights_;
  std::vector<std::uint32_t> order_, spare_, parent_;
};

}  // namespace macareu::cpu

// The rims of boxes that fill a larger one as a graph, whose solution is the value of every rim pixel. Boxes
// are pieces, or what several ranks have of an image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/neighbourhood.hpp"
#include "engines/pieces/box.hpp"
#include "engines/pieces/wave/rim_flood.hpp"

namespace macareu::pieces {

template <class Key>
class rim_graph {
 public:
  /// at(p): which of the boxes has a pixel of `outer`. whole: the image.
  rim_graph(const box& whole, const box& outer, std::vector<box> boxes, std::function<std::size_t(site)> at,
            const neighbourhood& near);

  /// At most, on average over a rim: along it and inside the piece, and half of those to other pieces.
  static constexpr std::size_t edges_of_a_pixel(bool volume) { return volume ? 9 : 4; }

  void add(std::size_t of, rim_summary<Key> summary) { rims_[of] = std::move(summary); }
  /// After all boxes were added: widest paths from the markers inside `outer`. value() has them then.
  void solve();
  /// The same, and all boxes as one that is known by the rim of `outer`. Pixels of the rim without neighbours
  /// outside have no capacity in it: nothing comes from there.
  rim_summary<Key> contract();
  /// Values that the rim of `outer` gets from outside, in the order of its numbers, for the next solve().
  void raise(const std::vector<Key>& outside);
  /// No solve() follows.
  void forget_edges() { edges_ = {}; }

  /// Of a box's rim, in the order of its numbers.
  const std::vector<Key>& value(std::size_t of) const { return rims_[of].value; }
  const box& outer() const { return outer_; }

 private:
  /// How many edges find_edges() finds at most, but for those over corners and in boxes two pixels wide.
  std::size_t expected_edges() const;
  void find_edges();
  /// The number of a pixel in its box's rim.
  std::uint32_t number(std::size_t of, site p) const;
  /// visit(pixel, box, number) for the rim of `outer`, in the order of its numbers.
  template <class Visit>
  void over_outer_rim(const Visit& visit) const;

  box whole_, outer_;
  std::vector<box> boxes_;
  std::vector<cpu::rim_numbering> numbering_;
  std::function<std::size_t(site)> at_;
  neighbourhood near_;
  std::vector<rim_summary<Key>> rims_;
  std::vector<std::uint32_t> first_;  // node of the first rim pixel of each box, and the number of all
  std::vector<rim_edge<Key>> edges_;  // the widest first
};

}  // namespace macareu::pieces

// The rims of ranks, joined along their tree. A range of ranks is known to the others by the rim of its
// pixels: no rank has the rims of all.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include <macareu/ranks.hpp>

#include "core/neighbourhood.hpp"
#include "engines/pieces/box.hpp"
#include "engines/pieces/wave/rim_graph.hpp"

namespace macareu::pieces {

/// The ranges that one rank joins.
template <class Key>
class rank_rims {
 public:
  /// pixels_of(first, end): the box of a range of ranks; it may be empty.
  rank_rims(const box& whole, const neighbourhood& near, std::function<box(int first, int end)> pixels_of)
      : whole_(whole), near_(near), pixels_of_(std::move(pixels_of)) {}

  /// A rank tells the bytes of its contracted graph, or nothing if it has no pixels. The answer is the values
  /// that its rim gets from outside, or nothing if none comes from there. Refers to this object.
  rank_exchange exchange();
  /// Values on all rims of a graph, with those from outside.
  static void solve(rim_graph<Key>& graph, const std::string& outside);

 private:
  std::string join(const rank_range& range, const std::string& first, const std::string& second);
  std::pair<std::string, std::string> split(const rank_range& range, const std::string& outside);

  box whole_;
  neighbourhood near_;
  std::function<box(int, int)> pixels_of_;
  std::map<int, rim_graph<Key>> joined_;  // by the end of the range
};

}  // namespace macareu::pieces

// The rims of all pieces as one graph, whose solution is the final value of every rim pixel.
#pragma once

#include <cstdint>
#include <vector>

#include "core/neighbourhood.hpp"
#include "engines/pieces/box.hpp"
#include "engines/pieces/wave/rim_flood.hpp"

namespace macareu::pieces {

template <class Key>
class rim_graph {
 public:
  rim_graph(const piece_grid& grid, const neighbourhood& near);

  void add(std::int64_t piece, rim_summary<Key> summary) {
    pieces_[static_cast<std::size_t>(piece)] = std::move(summary);
  }
  /// After all pieces were added: widest paths from the markers. value() is final then.
  void solve();

  /// Of a piece's rim, in the order of its numbers.
  const std::vector<Key>& value(std::int64_t piece) const {
    return pieces_[static_cast<std::size_t>(piece)].value;
  }

 private:
  const piece_grid& grid_;
  neighbourhood near_;
  std::vector<rim_summary<Key>> pieces_;
};

}  // namespace macareu::pieces

// The binary tree along which ranks exchange.
#pragma once

#include <vector>

#include <macareu/ranks.hpp>

namespace macareu {

/// The ranges that begin with a rank, from the smallest to the largest, and the rank above it.
struct place_in_tree {
  std::vector<rank_range> below;
  int above = -1;

  place_in_tree(int rank, int size) {
    for (int first = 0, end = size; end - first > 1;) {
      const int middle = first + (end - first) / 2;
      if (rank == first) below.insert(below.begin(), {first, middle, end});
      if (rank == middle) above = first;
      (rank < middle ? end : first) = middle;
    }
  }
};

}  // namespace macareu

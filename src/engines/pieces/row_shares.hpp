// Rows of a table of objects that ranks share: each rank gets the rows of its part of the labels, whoever
// found them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/function_ref.hpp"
#include "engines/pieces/run.hpp"

namespace macareu::pieces {

/// Labels that a rank describes: `count` of them after `before`.
struct label_share {
  std::uint64_t before = 0, count = 0;
  bool contains(std::uint64_t label) const { return label > before && label - before <= count; }
};

/// The share of a range of ranks in labels 1 .. labels.
inline label_share share_of_labels(std::uint64_t labels, int ranks, int first, int end) {
  const auto up_to = [&](int rank) {
    const auto all = static_cast<std::uint64_t>(ranks), own = static_cast<std::uint64_t>(rank);
    return labels / all * own + labels % all * own / all;
  };
  return {up_to(first), up_to(end) - up_to(first)};
}

/// Rows as plain bytes, in ascending order of their labels.
struct labelled_rows {
  std::vector<std::uint64_t> labels;
  std::vector<std::byte> rows;
};

/// take(label, row) for the rows of this rank's share that others found, each of `row_bytes`. Every rank
/// gives those that it found for others. They go through files, because messages are for what a range of
/// ranks has on its rim, and rows may be as many as all objects.
void share_rows(run& of, std::uint64_t labels, const labelled_rows& found, std::size_t row_bytes,
                function_ref<void(std::uint64_t, const std::byte*)> take);

}  // namespace macareu::pieces

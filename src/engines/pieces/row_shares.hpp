// Rows of a table of objects that ranks share: each rank gets the rows of its part of the labels, whoever
// found them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/function_ref.hpp"
#include "engines/pieces/files/rank_files.hpp"
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

/// Rows that ranks find for others, each of `row_bytes`. They go through files, because they may be as many
/// as all objects.
class row_exchange {
 public:
  row_exchange(run& of, std::uint64_t labels, std::size_t row_bytes);

  /// Leaves rows that were found for others.
  void leave(const labelled_rows& found);
  /// take(label, row) for those that others left for this rank. Every rank calls it, once.
  void collect(function_ref<void(std::uint64_t, const std::byte*)> take);

 private:
  /// Rows for one rank: their labels and then themselves, in the file of the rank that found them.
  struct parcel {
    std::int64_t reader, offset, count;
  };

  run& run_;
  std::uint64_t labels_;
  std::size_t row_bytes_;
  rank_files files_;
  std::vector<parcel> own_;
};

}  // namespace macareu::pieces

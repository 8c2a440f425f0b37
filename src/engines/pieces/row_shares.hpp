// Rows of a table of objects that ranks share: each rank gets the rows of its part of the labels, whoever
// found them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <macareu/ranks.hpp>

namespace macareu::pieces {

/// Labels that a rank describes: `count` of them after `before`.
struct label_share {
  std::uint64_t before = 0, count = 0;
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

struct row_form {
  std::size_t bytes;
  void (*join)(void* to, const void* from);
};

/// The rows of this rank's share. Every rank gives those that it found; rows of one label are joined. Only
/// rows that another rank describes are sent.
labelled_rows rows_of_share(ranks& all, std::uint64_t labels, labelled_rows found, const row_form& form);

}  // namespace macareu::pieces

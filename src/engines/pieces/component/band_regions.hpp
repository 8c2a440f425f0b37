// Bands of objects that several ranks have. A range of ranks is known to the others by its first and last
// slice: no rank has the pairs of all bands.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <macareu/ranks.hpp>

#include "core/host_threads.hpp"
#include "engines/pieces/run.hpp"
#include "patterns/component_rims.hpp"

namespace macareu::pieces {

/// Pixels of a slice that follow each other and have one number.
struct number_run {
  std::uint32_t length, number;
};
std::vector<number_run> runs_of(std::span<const std::uint32_t> slice, const host_threads& threads);

/// What is known of a band, whoever labelled it. Its first slice, and that of the next band, have the numbers
/// of this band.
struct band_record {
  std::uint32_t objects = 0;   // those that begin in its own slices
  std::uint32_t in_first = 0;  // of them, those in its first slice; 0 for the first band
  std::vector<number_run> first, next;
};

/// A range of ranks whose halves were joined.
struct joined_bands {
  block_answer first, second;  // numbers in it of the halves' objects
  std::uint64_t first_objects = 0, second_objects = 0;
};

/// The bands of one rank, and the ranges of ranks that it joins.
class rank_bands {
 public:
  rank_bands(std::vector<band_record> own, const host_threads& threads);

  /// What the rank tells: nothing if it has no bands.
  const std::string& told() const { return told_; }
  /// Answers are the number of all objects, and the final numbers of a range's objects. Refers to this.
  rank_exchange exchange();
  /// The final numbers of own bands, from the answer.
  merged_blocks numbered(const std::string& answer) &&;
  /// Those of a rank that has all bands.
  merged_blocks of_own() && { return std::move(merged_); }

 private:
  std::string join(const rank_range& range, const std::string& first, const std::string& second);
  std::pair<std::string, std::string> split(const rank_range& range, const std::string& answer);

  merged_blocks merged_;
  std::vector<std::uint32_t> objects_;  // of each own band
  std::string told_;
  std::map<int, joined_bands> joined_;  // by the end of the range
};

/// The numbers of the bands of this rank, and of all objects. Ranks have their bands in their order.
merged_blocks merge_bands(const run& of, std::vector<band_record> own, const host_threads& threads);

}  // namespace macareu::pieces

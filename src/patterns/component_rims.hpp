// Merges blocks of an image that were labelled separately (patterns/component.hpp: merge).
//
// A block includes a halo of one slice (a row, in images), the first of the next block. Both blocks label it,
// so objects with a common pixel there are one. The merge need not test neighbours or classes again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/host_threads.hpp"

namespace macareu {

/// Numbers of one object in a block and in the next block.
struct rim_pair {
  std::uint32_t own, next;
  bool operator==(const rim_pair&) const = default;
};

/// Residue of a block. Objects that begin in the halo come last in its numbering and belong to the next
/// block.
struct block_residue {
  std::uint32_t objects = 0;  // those that begin in its own slices
  std::uint32_t in_first =
      0;  // of them, those in its first slice, which are 1, 2, ...; 0 for the first block
  std::vector<rim_pair> to_next;  // objects that reach the next block; may repeat
};

/// Built from the numbers that two blocks gave to the slice they share.
std::vector<rim_pair> rim_pairs(std::span<const std::uint32_t> own, std::span<const std::uint32_t> next,
                                std::uint32_t own_objects, const host_threads& threads);

/// Final numbers of a block's objects. Those that began in an earlier block have `moved` to a target; the
/// others count on from `before`.
struct block_answer {
  std::uint64_t before = 0;
  std::vector<std::uint32_t> moved;  // ascending
  std::vector<std::uint64_t> target;
};

/// number[k]: final number of object k of the block.
template <class Label>
std::vector<Label> numbers_of(const block_answer& answer, std::uint32_t objects) {
  std::vector<Label> number(std::size_t{objects} + 1, Label{});
  std::size_t moved = 0;
  for (std::uint32_t k = 1; k <= objects; ++k) {
    const bool has_moved = moved < answer.moved.size() && answer.moved[moved] == k;
    number[k] = static_cast<Label>(has_moved ? answer.target[moved] : answer.before + k - moved);
    moved += has_moved;
  }
  return number;
}

struct merged_blocks {
  std::vector<block_answer> blocks;
  std::uint64_t count = 0;
};

merged_blocks merge_rims(const std::vector<block_residue>& blocks, const host_threads& threads);

}  // namespace macareu

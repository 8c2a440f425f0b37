// Blocks of an image that were labelled apart become one (patterns/component.hpp: merge).
//
// A block looks at one slice (a row, in images) more than its own, the first of the next block. Both have
// labelled it, so objects that have a pixel there in common are one: neighbours and classes need not be
// looked at again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/host_threads.hpp"

namespace macareu {

/// Numbers of one object in a block and in the next one.
struct rim_pair {
  std::uint32_t own, next;
  bool operator==(const rim_pair&) const = default;
};

/// What a block tells. Objects that begin in the shared slice come last in its numbering; they are the next
/// block's.
struct block_residue {
  std::uint32_t objects = 0;  // that begin in its own slices
  std::uint32_t in_first =
      0;  // of them, those in its first slice, which are 1, 2, ...; 0 for the first block
  std::vector<rim_pair> to_next;  // that reach the next block; may come several times
};

/// From the numbers that two blocks gave to the pixels of the slice they share.
std::vector<rim_pair> rim_pairs(std::span<const std::uint32_t> own, std::span<const std::uint32_t> next,
                                std::uint32_t own_objects, const host_threads& threads);

/// What the objects of a block are called in the whole image: those that began earlier have `moved` to a
/// target, the others count on from `before`.
struct block_answer {
  std::uint64_t before = 0;
  std::vector<std::uint32_t> moved;  // rising
  std::vector<std::uint64_t> target;
};

struct merged_blocks {
  std::vector<block_answer> blocks;
  std::uint64_t count = 0;
};

merged_blocks merge_rims(const std::vector<block_residue>& blocks, const host_threads& threads);

}  // namespace macareu

// Blocks of an image that were labelled apart become one (patterns/component.hpp: merge).
//
// A block looks at one slice (a row, in images) more than its own, the first of the next block. Both have
// labelled it, so objects that have a pixel there in common are one: neighbours and classes need not be
// looked at again.
#pragma once

#include <cstdint>
#include <vector>

namespace macareu::cpu {

/// What a block tells. Objects that begin in the shared slice come last in its numbering; they are the next
/// block's.
struct block_residue {
  std::uint32_t objects = 0;         // that begin in its own slices
  std::vector<std::uint32_t> first;  // numbers in its first slice; empty for the first block
  std::vector<std::uint32_t> next;   // numbers in the first slice of the next block; empty for the last
};

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

merged_blocks merge_rims(const std::vector<block_residue>& blocks, int threads);

}  // namespace macareu::cpu

// Runs and the links between them, computed with bit arithmetic on whole words.
#pragma once

#include <cstdint>

#include "engines/cuda/component/tile_shape.cuh"

namespace macareu::cuda::labels {

__device__ __forceinline__ int lowest(std::uint32_t bits) { return __ffs(static_cast<int>(bits)) - 1; }
__device__ __forceinline__ int lowest(std::uint64_t bits) {
  return __ffsll(static_cast<long long>(bits)) - 1;
}
__device__ __forceinline__ int highest(std::uint32_t bits) { return 31 - __clz(static_cast<int>(bits)); }
__device__ __forceinline__ int highest(std::uint64_t bits) {
  return 63 - __clzll(static_cast<long long>(bits));
}
/// Bits 0..last.
template <class Word>
__device__ __forceinline__ Word up_to(int last) {
  return static_cast<Word>(~Word{0}) >> (8 * static_cast<int>(sizeof(Word)) - 1 - last);
}

/// Where runs begin. Threads work on half words, so runs are cut there.
__device__ __forceinline__ std::uint32_t heads_of(std::uint32_t set) { return set & ~(set << 1); }
__device__ __forceinline__ std::uint64_t heads_of(std::uint64_t set) {
  return set & ~(set << 1 & ~(std::uint64_t{1} << 32));
}
/// The same, from the pixels that are joined to their predecessors.
template <class Word>
__device__ __forceinline__ Word heads_of(Word set, Word joined) {
  constexpr Word cuts = sizeof(Word) == 4 ? Word{1} : static_cast<Word>((std::uint64_t{1} << 32) | 1);
  return set & ~(joined & ~cuts);
}

/// The run that begins at bit `head`.
template <class Shape>
__device__ __forceinline__ std::uint32_t run_at(std::uint32_t set, std::uint32_t heads, int head) {
  const std::uint32_t first = 1u << head;
  if constexpr (!Shape::classes) return set & ~(set + first);
  const std::uint32_t stops = (heads | ~set) & ~(first | (first - 1));
  return (stops ? (stops & -stops) - 1 : ~0u) & ~(first - 1);
}

/// One pixel for every pair of touching runs, one in a row and the other in an earlier row. `same`: both runs
/// hold the pixel's column. `west`, `east`: the runs meet at a corner only, and the earlier one holds the
/// column before or after.
template <class Word>
struct run_links {
  Word same = 0, west = 0, east = 0;
  __device__ bool any() const { return (same | west | east) != 0; }
};

/// From set pixels. `own` and `there` are thick rows; the others are their pixel rows that face each other.
/// Overlapping runs have one common run. A carry through its leading columns without contact finds the first
/// column where pixels touch.
template <bool Diagonal, class Word>
__device__ __forceinline__ run_links<Word> links_between(Word own, Word own_facing, Word there,
                                                         Word there_facing) {
  run_links<Word> links;
  const Word both = own & there, heads = both & ~(both << 1);
  if constexpr (!Diagonal) {
    links.same = heads;  // thick rows are pixel rows
  } else {
    const Word f = own_facing, g = there_facing;
    const Word touching = both & ((f & (g | g << 1 | g >> 1)) | (g & (f << 1 | f >> 1)));
    const Word apart = both & ~touching;
    links.same = touching & (heads | (apart + (heads & apart)));
    links.west = f & (g << 1) & ~(own << 1) & ~there;
    links.east = f & (g >> 1) & ~(own >> 1) & ~there;
  }
  return links;
}

/// From the planes of an image with classes, without links across word ends.
template <class Word>
__device__ __forceinline__ run_links<Word> links_between(Word heads, Word joined, Word heads_there, Word same,
                                                         Word west, Word east) {
  constexpr Word last = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  return {same & (heads | heads_there), west & heads & ~same & ~Word{1},
          east & ~same & ~(joined >> 1) & static_cast<Word>(~last)};
}

}  // namespace macareu::cuda::labels

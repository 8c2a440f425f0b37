// Numbers of objects, in the raster order of their first pixels: roots of the forest are bits of an image,
// and a number is a count of bits.
#pragma once

#include <cub/block/block_scan.cuh>

#include "engines/cuda/labels/bit_runs.cuh"
#include "engines/cuda/labels/forests.cuh"
#include "engines/cuda/labels/launch.cuh"

namespace macareu::cuda::labels {

/// Every part learns its root; counts within sections.
template <class Shape>
__global__ __launch_bounds__(section_words) void find_firsts(tile_grid grid, label_memory memory) {
  using scan = cub::BlockScan<std::uint32_t, section_words>;
  __shared__ typename scan::TempStorage storage;
  follow();
  const part_forest forest{memory.parent};
  const auto word = static_cast<std::uint64_t>(blockIdx.x) * section_words + threadIdx.x;
  std::uint64_t firsts = word < grid.words ? memory.part_firsts[word] : 0;
  for (std::uint64_t left = firsts; left; left &= left - 1) {
    const int bit = lowest(left);
    const auto id = static_cast<std::uint32_t>(word * Shape::slots + (bit >> Shape::slot_shift));
    if (forest.shorten(id) != id) firsts ^= std::uint64_t{1} << bit;
  }
  std::uint32_t before, all;
  scan(storage).ExclusiveSum(static_cast<std::uint32_t>(__popcll(firsts)), before, all);
  if (word < grid.words) {
    memory.firsts[word] = firsts;
    memory.firsts_before[word] = static_cast<std::uint16_t>(before);
  }
  if (threadIdx.x == 0) memory.sections[blockIdx.x] = all;
}

constexpr int count_threads = 1024, count_each = 8;

/// Counts before sections: one block, since there are few. Also how many begin before one word of the image.
static __global__ __launch_bounds__(count_threads) void count_firsts(tile_grid grid, std::uint32_t sections,
                                                                     std::uint32_t end_of_own,
                                                                     label_memory memory) {
  using scan = cub::BlockScan<std::uint32_t, count_threads>;
  __shared__ typename scan::TempStorage storage;
  follow();
  struct alignas(16) group {
    std::uint32_t counts[count_each];
  };
  auto* const groups = reinterpret_cast<group*>(memory.sections);
  const std::uint32_t turns = (sections + count_each - 1) / count_each;  // of one group
  std::uint32_t total = 0;
  for (std::uint32_t begin = 0; begin < turns; begin += count_threads) {
    const std::uint32_t own = begin + threadIdx.x;
    group mine{};
    if (own < turns) mine = groups[own];
#pragma unroll
    for (int i = 0; i < count_each; ++i)
      if (own * count_each + i >= sections) mine.counts[i] = 0;
    std::uint32_t all;
    scan(storage).ExclusiveSum(mine.counts, mine.counts, all);
#pragma unroll
    for (int i = 0; i < count_each; ++i) mine.counts[i] += total;
    if (own < turns) groups[own] = mine;
    total += all;
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  const bool all_own = end_of_own >= grid.words;
  *memory.counts = {
      total,
      all_own ? total : memory.sections[end_of_own / section_words] + memory.firsts_before[end_of_own]};
}

/// The number of a part's object, from 1.
template <class Shape>
__device__ __forceinline__ std::uint32_t number_of(const label_memory& memory, std::uint32_t part) {
  const std::uint32_t first = memory.parent[part], word = first / Shape::slots;
  const int bit = static_cast<int>(first % Shape::slots) << Shape::slot_shift;
  const std::uint64_t earlier = memory.firsts[word] & ((std::uint64_t{1} << bit) - 1);
  return memory.sections[word / section_words] + memory.firsts_before[word] +
         static_cast<std::uint32_t>(__popcll(earlier)) + 1;
}

}  // namespace macareu::cuda::labels

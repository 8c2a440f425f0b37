// Numbers objects in the raster order of their first pixels. Roots of the forest are bits of an image, and a
// number is a count of bits.
#pragma once

#include <cub/block/block_scan.cuh>
#include <cuda/atomic>

#include "core/ceil_div.hpp"
#include "engines/cuda/component/bit_runs.cuh"
#include "engines/cuda/component/forests.cuh"
#include "engines/cuda/component/launch.cuh"
#include "engines/cuda/component/shared_bits.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda::labels {

/// Sections per thread in the prefix sum.
constexpr int count_each = tuning::sections_added_at_once;

/// Prefix sum over the counts of sections, by one block. Other blocks of the same kernel wrote the counts, so
/// the loads bypass L1. `count_each` zeros follow the counts.
static __device__ std::uint32_t add_up_sections(std::uint32_t* sections, std::uint32_t count) {
  using scan = cub::BlockScan<std::uint32_t, section_words>;
  __shared__ typename scan::TempStorage storage;
  constexpr int vectors = count_each / 4;
  auto* const groups = reinterpret_cast<uint4*>(sections);
  std::uint32_t total = 0;
  for (std::uint32_t begin = 0; begin < count; begin += section_words * count_each) {
    const std::uint32_t own = begin + threadIdx.x * count_each;
    std::uint32_t counts[count_each]{};
    if (own < count) {
#pragma unroll
      for (int i = 0; i < vectors; ++i) {
        const uint4 loaded = __ldcg(groups + own / 4 + i);
        counts[4 * i] = loaded.x;
        counts[4 * i + 1] = loaded.y;
        counts[4 * i + 2] = loaded.z;
        counts[4 * i + 3] = loaded.w;
      }
    }
    std::uint32_t all;
    scan(storage).ExclusiveSum(counts, counts, all);
    if (own < count) {
#pragma unroll
      for (int i = 0; i < vectors; ++i)
        groups[own / 4 + i] = {total + counts[4 * i], total + counts[4 * i + 1], total + counts[4 * i + 2],
                               total + counts[4 * i + 3]};
    }
    total += all;
    __syncthreads();
  }
  return total;
}

/// Blocks per multiprocessor.
constexpr int find_blocks = tuning::label_threads_held / section_words;

/// Points every part at its root and counts roots within sections. The last block to finish computes the
/// prefix sum over sections and writes the number of objects.
/// A block may take several sections, which then share its waits and its ticket.
template <class Shape, int Sections>
__global__ __launch_bounds__(section_words, find_blocks) void find_firsts(tile_grid grid,
                                                                          label_memory memory) {
  static_assert(Sections <= 4, "counts of 16 bits, and places too");
  using counts = std::conditional_t<Sections == 1, std::uint32_t, std::uint64_t>;  // 16 bits for a section
  using scan = cub::BlockScan<counts, section_words>;
  __shared__ typename scan::TempStorage storage;
  __shared__ bool is_last;
  __shared__ std::uint32_t kept[Sections * 2 * section_words];  // first pixels of objects, halves of words
  __shared__ shared_bits<section_words, tuning::listed_firsts_of_a_word * section_words> parts;
  parts.clear();
  __syncthreads();
  const part_forest forest{memory.parent};
  const auto first_word = static_cast<std::uint64_t>(blockIdx.x) * (Sections * section_words);
  // Part firsts come from the kernel before last, so they are loaded before follow().
  std::uint64_t found[Sections];
#pragma unroll
  for (int s = 0; s < Sections; ++s) {
    const auto word = first_word + s * section_words + threadIdx.x;
    found[s] = word < grid.words ? memory.part_firsts[word] : 0;
  }
#pragma unroll
  for (int s = 0; s < Sections; ++s) {
    const int half = 2 * (s * section_words + static_cast<int>(threadIdx.x));
    kept[half] = static_cast<std::uint32_t>(found[s]);
    kept[half + 1] = static_cast<std::uint32_t>(found[s] >> 32);
  }
  const auto find_root = [&](int place) {
    const auto id = static_cast<std::uint32_t>((first_word + place / 64) * Shape::slots +
                                               (place % 64 >> Shape::slot_shift));
    if (forest.shorten(id) != id) atomicAnd(kept + place / 32, ~(1u << place % 32));
  };
  const auto first_place = [](int s) { return (s * section_words + static_cast<int>(threadIdx.x)) * 64; };
#pragma unroll
  for (int s = 0; s < Sections; ++s) found[s] = parts.add(found[s], first_place(s));
  follow();
  __syncthreads();
  parts.for_each(find_root);
#pragma unroll
  for (int s = 0; s < Sections; ++s)
    for (auto left = found[s]; left; left &= left - 1) find_root(first_place(s) + lowest(left));
  __syncthreads();
  const auto firsts_of = [&](int s) {
    const int half = 2 * (s * section_words + static_cast<int>(threadIdx.x));
    return std::uint64_t{kept[half + 1]} << 32 | kept[half];
  };
  counts own = 0, before, in_sections;
#pragma unroll
  for (int s = 0; s < Sections; ++s) own |= static_cast<counts>(__popcll(firsts_of(s))) << (16 * s);
  scan(storage).ExclusiveSum(own, before, in_sections);
#pragma unroll
  for (int s = 0; s < Sections; ++s) {
    const auto word = first_word + s * section_words + threadIdx.x;
    if (word >= grid.words) continue;
    memory.firsts[word] = firsts_of(s);
    memory.firsts_before[word] = static_cast<std::uint16_t>(before >> (16 * s));
  }
  const std::uint32_t sections = ceil_div(grid.words, section_words);
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x < count_each) memory.sections[sections + threadIdx.x] = 0;
  __syncthreads();  // the ticket releases what the whole block has written
  if (threadIdx.x == 0) {
#pragma unroll
    for (int s = 0; s < Sections; ++s)
      if (blockIdx.x * Sections + s < sections)
        memory.sections[blockIdx.x * Sections + s] = static_cast<std::uint16_t>(in_sections >> (16 * s));
    using counter = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;
    is_last = counter(*memory.sections_done).fetch_add(1, ::cuda::std::memory_order_acq_rel) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  const auto all = add_up_sections(memory.sections, sections);
  if (threadIdx.x == 0) memory.count->objects = all;
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

// Selects the objects that contain a start, instead of numbering them: the last step of hysteresis. The root
// of its parts identifies an object. Roots with a start are bits, one for every slot of first pixels.
#pragma once

#include "core/view.hpp"
#include "engines/cuda/component/across_tiles.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda::labels {

using tuning::linked_threads;

/// A bit for every id.
struct kept_roots {
  std::uint32_t* bits;

  __device__ void keep(std::uint32_t root) const { atomicOr(bits + root / 32, 1u << root % 32); }
  __device__ bool operator[](std::uint32_t root) const { return bits[root / 32] >> root % 32 & 1; }
};

/// A thread per half word of thick rows keeps the roots of its runs that contain a start.
template <class Shape>
__global__ __launch_bounds__(linked_threads) void keep_started(tile_grid grid, label_memory memory,
                                                               const std::uint64_t* starts, kept_roots kept) {
  static_assert(!Shape::classes && Shape::rows_z == 1, "for images of one class");
  follow();
  const auto thread = static_cast<std::uint64_t>(blockIdx.x) * linked_threads + threadIdx.x;
  const auto word = static_cast<std::uint32_t>(thread / 2);
  const int half = static_cast<int>(thread % 2);
  const int y = static_cast<int>(word / grid.across), x = static_cast<int>(word % grid.across);
  if (y * Shape::rows_y >= grid.height) return;
  std::uint64_t open = 0;
#pragma unroll
  for (int k = 0; k < Shape::rows_y; ++k)
    if (y * Shape::rows_y + k < grid.height) open |= starts[grid.word(0, y * Shape::rows_y + k, x)];
  open &= up_to<std::uint64_t>(31) << 32 * half;
  if (!open) return;
  const image_rows<Shape> rows{grid, memory};
  const part_forest forest{memory.parent};
  const auto heads = rows.heads(x, y, 0);
  while (open) {
    const int bit = lowest(open);
    kept.keep(forest.root(rows.part(x, y, 0, heads, bit)));
    const auto later = heads & ~up_to<std::uint64_t>(bit);
    open = later ? open & ~((later & -later) - 1) : 0;  // skips the rest of the run
  }
}

/// Four bits to four bytes of 0 and 1.
__device__ __forceinline__ std::uint32_t bytes_of(std::uint32_t four) {
  return (four * 0x00204081u) & 0x01010101u;
}

/// 32 pixels of a row. `aligned`: rows begin at multiples of 16 bytes.
__device__ __forceinline__ void write_bytes(const view<std::uint8_t>& out, std::int64_t y, std::int64_t x,
                                            std::uint32_t bits, bool aligned) {
  if (aligned && x + 32 <= out.width) {
    auto* const place = reinterpret_cast<uint4*>(out.at(0, y) + x);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t half = bits >> 16 * i;
      place[i] = make_uint4(bytes_of(half & 15), bytes_of(half >> 4 & 15), bytes_of(half >> 8 & 15),
                            bytes_of(half >> 12 & 15));
    }
    return;
  }
  for (int i = 0; i < 32 && x + i < out.width; ++i)
    out[{0, y, x + i}] = static_cast<std::uint8_t>(bits >> i & 1);
}

/// A thread per half word of thick rows.
template <class Shape>
__global__ __launch_bounds__(linked_threads) void write_kept(tile_grid grid, label_memory memory,
                                                             kept_roots kept, bool aligned,
                                                             view<std::uint8_t> out) {
  follow();
  const auto thread = static_cast<std::uint64_t>(blockIdx.x) * linked_threads + threadIdx.x;
  const auto word = static_cast<std::uint32_t>(thread / 2);
  const int half = static_cast<int>(thread % 2);
  const int y = static_cast<int>(word / grid.across), x = static_cast<int>(word % grid.across);
  if (y * Shape::rows_y >= grid.height) return;
  const image_rows<Shape> rows{grid, memory};
  const part_forest forest{memory.parent};
  const auto heads = rows.heads(x, y, 0);
  const auto set = static_cast<std::uint32_t>(rows.facing(x, y, 0, 0, 0) >> 32 * half),
             own_heads = static_cast<std::uint32_t>(heads >> 32 * half);
  std::uint32_t linked = 0;
  for (std::uint32_t left = own_heads; left; left &= left - 1) {
    const int head = lowest(left);
    if (kept[forest.root(rows.part(x, y, 0, heads, 32 * half + head))])
      linked |= run_at<Shape>(set, own_heads, head);
  }
#pragma unroll
  for (int k = 0; k < Shape::rows_y; ++k) {
    const int row = y * Shape::rows_y + k;
    if (row >= grid.height) continue;
    const auto pixels = static_cast<std::uint32_t>(memory.planes[grid.word(0, row, x)] >> 32 * half);
    write_bytes(out, row, std::int64_t{x} * 64 + 32 * half, pixels & linked, aligned);
  }
}

}  // namespace macareu::cuda::labels

// Writes labels: run -> part -> number. 16 lanes take a thick row, four columns each.
#pragma once

#include "core/ceil_div.hpp"
#include "core/view.hpp"
#include "engines/cuda/component/numbers.cuh"
#include "engines/cuda/component/shared_bits.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda::labels {

/// What happens where no pixel is set: groups of four pixels become 0, or keep what they have.
enum class background { written, kept };

using tuning::written_rows_at_once;

template <class Shape>
constexpr int write_threads = Shape::thick_rows / written_rows_at_once * 16;

template <class Label>
struct alignas(16) label_group {
  Label value[4];
};

template <class Label>
__device__ __forceinline__ void store_labels(const view<Label>& out, std::int64_t z, std::int64_t y,
                                             std::int64_t x, std::int64_t width, bool aligned,
                                             const label_group<Label>& labels) {
  if (aligned && x + 4 <= width) {
    auto* const place = reinterpret_cast<uint4*>(out.at(z, y) + x);
    const auto* const words = reinterpret_cast<const uint4*>(&labels);
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(labels) / 16); ++i) __stcs(place + i, words[i]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (x + i < width) out[{z, y, x + i}] = labels.value[i];
}

/// The parts of a tile, by the places of their first pixels. These are available before the numbers.
template <class Shape>
struct tile_parts {
  static constexpr int threads = write_threads<Shape>, halves = 2 * Shape::rows,
                       turns = ceil_div(halves, threads);
  shared_bits<threads, tuning::listed_parts_of_a_thread * threads> list;

  static __device__ std::uint32_t word_of(const tile_grid& grid, const tile_place& at, int row) {
    return grid.word(at.z * Shape::depth + row / Shape::height, at.y * Shape::height + row % Shape::height,
                     at.x);
  }

  /// `left`: the thread's bits that do not fit the list. Needs a barrier after clear() and before look_up().
  __device__ void find(const tile_grid& grid, const label_memory& memory, const tile_place& at,
                       std::uint32_t (&left)[turns]) {
    const auto* const firsts = reinterpret_cast<const std::uint32_t*>(memory.part_firsts);
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      const int i = turn * threads + static_cast<int>(threadIdx.x), row = i / 2;
      const bool inside = i < halves && at.y * Shape::height + row % Shape::height < grid.height &&
                          at.z * Shape::depth + row / Shape::height < grid.depth;
      left[turn] = list.add(inside ? firsts[2 * std::uint64_t{word_of(grid, at, row)} + i % 2] : 0u, 32 * i);
    }
  }

  /// Writes the labels of the parts, by slot.
  template <class Label>
  __device__ void look_up(const tile_grid& grid, const label_memory& memory, const tile_place& at,
                          const std::uint32_t (&left)[turns], Label* labels) const {
    const auto look_up = [&](int place) {
      const int row = place / 64, slot = place % 64 >> Shape::slot_shift;
      labels[row * Shape::slots + slot] =
          static_cast<Label>(number_of<Shape>(memory, word_of(grid, at, row) * Shape::slots + slot));
    };
    list.for_each(look_up);
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      for (std::uint32_t bits = left[turn]; bits; bits &= bits - 1)
        look_up(32 * (turn * threads + static_cast<int>(threadIdx.x)) + lowest(bits));
  }
};

/// Four columns of a thick row.
template <class Shape>
struct row_piece {
  static constexpr int slots = 4 >> Shape::slot_shift;
  std::uint64_t heads = 0;   // of the whole word
  std::uint32_t pixels = 0;  // four bits for every pixel row
  std::uint64_t parts = 0;   // of the runs that begin here, 16 bits each

  __device__ std::uint32_t own_heads(int lane) const {
    return static_cast<std::uint32_t>(heads >> (4 * lane)) & 15;
  }

  __device__ void load(const tile_grid& grid, const label_memory& memory, std::uint32_t tile,
                       const tile_place& at, int row, int lane) {
    std::uint64_t set = 0, joined = 0;
#pragma unroll
    for (int k = 0; k < Shape::rows_of_thick; ++k) {
      const int y = at.y * Shape::height + row % Shape::down * Shape::rows_y + k % Shape::rows_y,
                z = at.z * Shape::depth + row / Shape::down * Shape::rows_z + k / Shape::rows_y;
      if (y >= grid.height || z >= grid.depth) continue;
      const auto word = grid.word(z, y, at.x);
      const auto bits = memory.planes[word];
      if constexpr (Shape::classes) joined = memory.planes[grid.words + word];
      pixels |= (static_cast<std::uint32_t>(bits >> (4 * lane)) & 15) << (4 * k);
      set |= bits;
    }
    heads = Shape::classes ? heads_of(set, joined) : heads_of(set);
    if (!own_heads(lane)) return;
    const auto place = (std::uint64_t{tile} * Shape::thick_rows + row) * 16 + lane;
    if constexpr (slots == 2)
      parts = reinterpret_cast<const std::uint32_t*>(memory.run_part)[place];
    else
      parts = reinterpret_cast<const std::uint64_t*>(memory.run_part)[place];
  }

  /// Labels of all pixel rows. A shuffle brings the label of a run that begins further left.
  template <class Label>
  __device__ void fill(const Label* labels, int lane, label_group<Label> (&out)[Shape::rows_of_thick]) const {
    const auto own = own_heads(lane);
    Label begun[slots], last = 0;
#pragma unroll
    for (int s = 0; s < slots; ++s) {
      constexpr std::uint32_t in_slot = (1u << (1 << Shape::slot_shift)) - 1;
      begun[s] = 0;
      if (own >> (s << Shape::slot_shift) & in_slot) last = begun[s] = labels[parts >> (16 * s) & 0xffff];
    }
    const std::uint64_t earlier = heads & ((std::uint64_t{1} << (4 * lane)) - 1);
    Label current = __shfl_sync(~0u, last, earlier ? highest(earlier) / 4 : 0, 16);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (own >> i & 1) current = begun[i >> Shape::slot_shift];
#pragma unroll
      for (int k = 0; k < Shape::rows_of_thick; ++k)
        out[k].value[i] = pixels >> (4 * k + i) & 1 ? current : 0;
    }
  }
};

template <class Shape, class Label>
__global__ __launch_bounds__(write_threads<Shape>) void write_labels(tile_grid grid, label_memory memory,
                                                                     background zeros, bool aligned,
                                                                     view<Label> out) {
  __shared__ Label labels[Shape::rows * Shape::slots];
  __shared__ tile_parts<Shape> parts;
  parts.list.clear();
  __syncthreads();
  const std::uint32_t tile = blockIdx.x;
  const tile_place at(grid, tile);
  const int lane = static_cast<int>(threadIdx.x) % 16, first_row = static_cast<int>(threadIdx.x) / 16;
  constexpr int stride = write_threads<Shape> / 16;
  // Everything but the numbers comes from kernels before the last, so it is loaded before follow().
  row_piece<Shape> pieces[written_rows_at_once];
#pragma unroll
  for (int i = 0; i < written_rows_at_once; ++i)
    pieces[i].load(grid, memory, tile, at, first_row + i * stride, lane);
  std::uint32_t left[tile_parts<Shape>::turns];
  parts.find(grid, memory, at, left);
  follow();
  __syncthreads();
  parts.look_up(grid, memory, at, left, labels);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < written_rows_at_once; ++i) {
    const int row = first_row + i * stride;
    label_group<Label> groups[Shape::rows_of_thick];
    pieces[i].fill(labels, lane, groups);
#pragma unroll
    for (int k = 0; k < Shape::rows_of_thick; ++k) {
      const int y = at.y * Shape::height + row % Shape::down * Shape::rows_y + k % Shape::rows_y,
                z = at.z * Shape::depth + row / Shape::down * Shape::rows_z + k / Shape::rows_y;
      if (zeros == background::kept && !(pieces[i].pixels >> (4 * k) & 15)) continue;
      if (y < grid.height && z < grid.depth)
        store_labels(out, z, y, std::int64_t{at.x} * 64 + lane * 4, grid.width, aligned, groups[k]);
    }
  }
}

}  // namespace macareu::cuda::labels

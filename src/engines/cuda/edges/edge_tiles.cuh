// Computes the levels of a tile from its pixels, in the registers and shared memory of one block.
//
//   sums along y   a thread walks down a column and reads the pixels that its sums share once
//   sums along x   a lane walks along a row, for the same reason
//   derived        a thread walks down a column; computes drafts if the rule has them
//   levels         lanes are adjacent pixels; those that an estimate leaves unsure, and that do not lie flat,
//                  are listed
//   unsure levels  lanes are listed pixels, whose levels are computed exactly
//
// Walks are compiled for a few reaches. Other weights are read from memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/wide.hpp"
#include "engines/cuda/edges/tile_levels.cuh"
#include "engines/cuda/edges/tile_pixels.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/window/fused_sums.cuh"
#include "patterns/edges.hpp"

namespace macareu::cuda {

/// A smoothing in the form that kernels take.
struct device_smoothing {
  const double *y, *x;  // weights; null: not smoothed
  int reach_y, reach_x;
  border<double> edge;
  share_classes classes;
  const double* shares;
  fused_weights<double> near;  // the same weights, for walks

  template <class Value>
  __device__ Value divided(Value smooth, site p, std::int64_t height, std::int64_t width) const {
    if (!shares) return smooth;
    const auto row = share_classes::class_of(p.y, height, classes.rows);
    const auto column = share_classes::class_of(p.x, width, classes.columns);
    return static_cast<Value>(static_cast<double>(smooth) / shares[row * classes.columns + column]);
  }
};

/// Output of the levels: two bit planes in half words, `halves` per row, or an image.
struct edge_marks {
  std::uint32_t *marked, *certain;
  std::int64_t halves;
  view<std::uint8_t> levels;
  bool certain_only = false;
};

/// The input of the smoothing, in f64.
template <class Enter, class In>
struct edge_source {
  Enter enter;
  view<const In> in;

  __device__ double inside(std::int64_t y, std::int64_t x) const {
    const site q{0, y, x};
    return static_cast<double>(enter(q, in[q]));
  }
  /// For tiles at the border. Not inlined, to keep its code out of every call site.
  __device__ __noinline__ double anywhere(std::int64_t y, std::int64_t x, const border<double>& edge) const {
    if (y >= 0 && y < in.height && x >= 0 && x < in.width) return inside(y, x);
    if (edge.mode == border_mode::constant) return edge.outside;
    return inside(edge.fold(y, in.height), edge.fold(x, in.width));
  }
};

/// Under a constant border, sums along y outside the image are that constant too.
__device__ inline bool is_replaced(const device_smoothing& how, const edge_place& at, std::int64_t x) {
  return how.edge.mode == border_mode::constant && (x < 0 || x >= at.width);
}

template <int Reach, bool Inside, class Value, class Enter, class In>
__device__ __forceinline__ void walk_down(const device_smoothing& how, const edge_source<Enter, In>& source,
                                          const edge_place& at, double* sums) {
  constexpr int wide = edge_tile::wide + 2 * Reach, pitch = edge_tile::sum_pitch(Reach);
  constexpr int length = edge_tile::walk_down, read = length + 2 * Reach;
  for (int walk = threadIdx.x; walk < wide * (edge_tile::high / length); walk += edge_tile::threads) {
    const int part = walk / wide, column = walk - part * wide;
    const auto y = at.top + part * length - Reach, x = at.left - Reach + column;
    double pixel[read];
#pragma unroll
    for (int i = 0; i < read; ++i)
      pixel[i] = Inside ? source.inside(y + i, x) : source.anywhere(y + i, x, how.edge);
    const bool replaced = !Inside && is_replaced(how, at, x);
    double* const to = sums + part * length * pitch + column;
#pragma unroll
    for (int i = 0; i < length; ++i) {
      const auto sum = static_cast<Value>(
          symmetric_sum_at<Reach>(how.near.y, [&](int k) { return pixel[i + Reach + k]; }));
      to[i * pitch] = replaced ? how.edge.outside : static_cast<double>(sum);
    }
  }
}

template <class Value, class Enter, class In>
__device__ void sum_columns(const device_smoothing& how, const edge_source<Enter, In>& source,
                            const edge_place& at, double* sums) {
  const int wide = edge_tile::wide + 2 * how.reach_x, pitch = edge_tile::sum_pitch(how.reach_x);
  for (int i = threadIdx.x; i < wide * edge_tile::high; i += edge_tile::threads) {
    const int row = i / wide, column = i - row * wide;
    const auto y = at.top + row, x = at.left - how.reach_x + column;
    const auto pixel = [&](int k) { return source.anywhere(y + k, x, how.edge); };
    double sum = pixel(0);
    if (how.y) {
      sum *= how.y[0];
      for (int k = how.reach_y; k > 0; --k) sum += (pixel(-k) + pixel(k)) * how.y[k];
      sum = is_replaced(how, at, x) ? how.edge.outside : static_cast<double>(static_cast<Value>(sum));
    }
    sums[row * pitch + column] = sum;
  }
}

/// Calls visit(row, column, sum) for smoothed pixels and for some columns after them.
template <int Reach, class Visit>
__device__ __forceinline__ void walk_along(const device_smoothing& how, const double* sums, Visit&& visit) {
  constexpr int length = edge_tile::walk_along, read = length + 2 * Reach;
  for (int walk = threadIdx.x; walk < edge_tile::high * edge_tile::along; walk += edge_tile::threads) {
    const int row = walk % edge_tile::high, first = walk / edge_tile::high * length;
    const double* const from = sums + row * edge_tile::sum_pitch(Reach) + first;
    double value[read];
#pragma unroll
    for (int i = 0; i < read; ++i) value[i] = from[i];
#pragma unroll
    for (int i = 0; i < length; ++i)
      visit(row, first + i, symmetric_sum_at<Reach>(how.near.x, [&](int k) { return value[i + Reach + k]; }));
  }
}

template <class Visit>
__device__ void sum_rows(const device_smoothing& how, const double* sums, Visit&& visit) {
  over_tile([&](int row, int column) {
    const double* const at = sums + row * edge_tile::sum_pitch(how.reach_x) + column + how.reach_x;
    double sum = *at;
    if (how.x) {
      sum *= how.x[0];
      for (int k = how.reach_x; k > 0; --k) sum += (at[-k] + at[k]) * how.x[k];
    }
    visit(row, column, sum);
  });
}

/// Returns the largest magnitude that this thread has divided.
template <class Value>
__device__ Value divide_by_shares(const device_smoothing& how, const edge_place& at, Value* smooth) {
  const tile_bounds inside = at.bounds();
  Value largest = 0;
  over_tile([&](int row, int column) {
    if (!inside.has(row, column)) return;
    Value& pixel = smooth[row * edge_tile::pitch + column];
    pixel = how.divided(pixel, site{0, at.top + row, at.left + column}, at.height, at.width);
    largest = macareu::greater(largest, Value(std::fabs(pixel)));
  });
  return largest;
}

/// Raises the shared maximum to the largest magnitude of all threads. Needs whole warps and sizes >= 0.
template <class Value>
__device__ void raise(Value* most, Value size) {
  for (int other = 16; other > 0; other /= 2)
    size = macareu::greater(size, __shfl_xor_sync(~0u, size, other));
  if (threadIdx.x % 32 != 0) return;
  if constexpr (sizeof(Value) == sizeof(int))  // bits of values >= 0 have the same order
    atomicMax(reinterpret_cast<int*>(most), __float_as_int(size));
  else
    atomicMax(reinterpret_cast<long long*>(most), __double_as_longlong(size));
}

/// Derives the smoothed pixels without the outermost ring.
template <class Rule, class Value>
__device__ __forceinline__ void derive(const Rule& rule, const Value* smooth, Value* derived, Value* bends) {
  constexpr int pitch = edge_tile::pitch, wide = edge_tile::wide - 2, high = edge_tile::high - 2,
                length = edge_tile::walk_derived;
  static_assert(high % length == 0);
  Value most = 0;
  for (int walk = threadIdx.x; walk < wide * (high / length); walk += edge_tile::threads) {
    const int part = walk / wide, place = (part * length + 1) * pitch + walk - part * wide + 1;
    const Value* from = smooth + place - pitch;
    held_pixels<Value> near;
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      near.row[1][dx + 1] = from[dx];
      near.row[2][dx + 1] = from[pitch + dx];
    }
    from += 2 * pitch;
    Value* const to = derived + place;
#pragma unroll
    for (int i = 0; i < length; ++i) {
#pragma unroll
      for (int dx = 0; dx < 3; ++dx) {
        near.row[0][dx] = near.row[1][dx];
        near.row[1][dx] = near.row[2][dx];
        near.row[2][dx] = from[i * pitch + dx - 1];
      }
      if constexpr (Rule::drafts)
        to[i * pitch] = rule.drafted(near, most);
      else
        to[i * pitch] = rule.derived(near);
    }
  }
  if constexpr (Rule::drafts) raise(bends, most);
}

/// Reach 0: any reach, with weights from memory.
template <int Reach, class Rule, class Enter, class In>
__global__ void __launch_bounds__(edge_tile::threads, tuning::edge_blocks<typename Rule::value>)
    mark_tile(const __grid_constant__ Rule rule, const __grid_constant__ device_smoothing how,
              const __grid_constant__ edge_source<Enter, In> source, const __grid_constant__ edge_marks to,
              std::uint32_t across) {
  using value = typename Rule::value;
  extern __shared__ double shared[];
  __shared__ std::uint32_t unsure_count;
  auto* const most = reinterpret_cast<value*>(shared);  // largest pixel, largest bend
  double* const sums = shared + 2;
  auto* const smooth = reinterpret_cast<value*>(sums + edge_tile::high * edge_tile::sum_pitch(how.reach_x));
  auto* const derived = reinterpret_cast<value*>(sums);  // reuses the memory of sums
  const std::uint32_t tile_y = blockIdx.x / across, tile_x = blockIdx.x - tile_y * across;
  const edge_place at{std::int64_t{tile_y} * edge_tile::rows - edge_tile::margin,
                      std::int64_t{tile_x} * edge_tile::columns - edge_tile::margin, source.in.height,
                      source.in.width};
  if (threadIdx.x < 2) most[threadIdx.x] = 0;
  if (threadIdx.x == 0) unsure_count = 0;

  if constexpr (Reach == 0)
    sum_columns<value>(how, source, at, sums);
  else if (at.is_inside(Reach, Reach))
    walk_down<Reach, true, value>(how, source, at, sums);
  else
    walk_down<Reach, false, value>(how, source, at, sums);
  __syncthreads();

  value largest = 0;
  const auto keep = [&](int row, int column, double sum) {
    if (column >= edge_tile::wide) return;
    const auto found = static_cast<value>(sum);
    smooth[row * edge_tile::pitch + column] = found;
    if constexpr (Rule::drafts) largest = macareu::greater(largest, value(std::fabs(found)));
  };
  if constexpr (Reach == 0)
    sum_rows(how, sums, keep);
  else
    walk_along<Reach>(how, sums, keep);
  if (how.shares) {
    __syncthreads();
    largest = divide_by_shares(how, at, smooth);
  }
  if constexpr (Rule::drafts) raise(most, largest);
  __syncthreads();
  const tile_bounds inside = at.bounds();
  const bool is_whole = at.is_inside(0, 0);
  if (!is_whole) repeat_ends(inside, smooth);

  derive(rule, smooth, derived, most + 1);
  __syncthreads();
  if (!is_whole) repeat_ends(inside, derived);

  value error = 0;
  if constexpr (Rule::drafts) error = rule.draft_error(most[0], most[1]);
  constexpr int halves = edge_tile::columns / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsure_pixels unsure(derived, how.reach_x, &unsure_count);
  const auto exact = [&](int row, int column) {
    return level_again(rule, inside, smooth, derived, row, column);
  };
  const auto pixel = [&](int level) {
    return static_cast<std::uint8_t>(to.certain_only ? level > 1 : level);
  };
  for (int job = threadIdx.x / 32; job < edge_tile::rows * halves; job += edge_tile::threads / 32) {
    const int row = job / halves + edge_tile::margin, half = job % halves,
              column = half * 32 + lane + edge_tile::margin;
    const std::int64_t place = std::int64_t{tile_x} * halves + half;
    if (row >= inside.end_row || place >= to.halves) continue;
    const site q{0, at.top + row, at.left + column};
    const bool may_mark = column < inside.end_column && marks_at<Rule>(q, at.height, at.width);
    int level = estimate_in_tile(rule, smooth, derived, error, row, column, may_mark);
    if (__any_sync(~0u, level == not_sure)) {
      if constexpr (Rule::drafts)
        if (level == not_sure && lies_flat(rule, inside, smooth, row, column)) level = rule.flat_level();
      const bool listed = unsure.add(level == not_sure, row, column);
      if (level == not_sure) level = listed ? 0 : exact(row, column);
    }
    if (to.levels.data) {
      if (column < inside.end_column) to.levels[q] = pixel(level);
      continue;
    }
    const auto marked = __ballot_sync(~0u, level > 0), certain = __ballot_sync(~0u, level > 1);
    if (lane != 0) continue;
    to.marked[q.y * to.halves + place] = marked;
    to.certain[q.y * to.halves + place] = certain;
  }
  __syncthreads();
  unsure.for_each([&](int row, int column) {
    const int level = exact(row, column), from = column - edge_tile::margin;
    if (level == 0) return;
    const site q{0, at.top + row, at.left + column};
    if (to.levels.data) {
      to.levels[q] = pixel(level);
      return;
    }
    const std::int64_t word = q.y * to.halves + std::int64_t{tile_x} * halves + from / 32;
    atomicOr(&to.marked[word], 1u << from % 32);
    if (level > 1) atomicOr(&to.certain[word], 1u << from % 32);
  });
}

}  // namespace macareu::cuda

// Weighted sums along y and x in one kernel, for filters with one radius of at most 8 along both. A thread
// has four columns, whose rows slide through its registers. Their sums along y go through shared memory to
// the threads that need them for the sums along x.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/lanes.cuh"
#include "engines/cuda/runtime/pixels.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/window/window.cuh"
#include "patterns/weighted.hpp"

namespace macareu::cuda {

using tuning::largest_fused_radius;

template <class F>
struct fused_weights {
  F y[largest_fused_radius + 1], x[largest_fused_radius + 1];
};

/// Sum of value(k) for k = -R ... R, weighted symmetrically.
template <int R, class F, class Value>
__device__ F symmetric_sum_at(const F* half, Value&& value) {
  F sum = value(0) * half[0];
#pragma unroll
  for (int k = R; k > 0; --k) sum += (value(-k) + value(k)) * half[k];
  return sum;
}

struct fused_shape {
  static constexpr int threads = tuning::fused_threads, group = tuning::fused_columns_at_once;
  static constexpr int columns = threads * group;      // with a margin on both sides
  static constexpr int margin = largest_fused_radius;  // a multiple of the group
  static constexpr int written = columns - 2 * margin;
  static constexpr int rows_at_once = tuning::fused_rows_at_once, rows_down = tuning::fused_rows;
};

/// Four columns of the rows from p.y - R on, a few at a time. All rows that the block needs, and those of one
/// step more, must be inside the image and aligned. The loads of a step overlap with the sums of the step
/// before.
template <int R, class F, class In>
class rows_inside {
 public:
  static constexpr bool inside = true;

  __device__ rows_inside(const view<const In>& in, const border<F>&, site p)
      : next_(&in[{p.z, p.y - R, p.x}]), step_y_(in.step_y) {}
  __device__ void read_first(lanes<F, fused_shape::group>* rows) {
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) rows[i] = to_row(load());
    ask();
  }
  __device__ void read(lanes<F, fused_shape::group>* rows) {
#pragma unroll
    for (int i = 0; i < fused_shape::rows_at_once; ++i) rows[i] = to_row(asked_[i]);
    ask();
  }
  __device__ bool replaces(int) const { return false; }

 private:
  using bits = group_bits<In, fused_shape::group>;  // not split into pixels before they are needed

  __device__ void ask() {
#pragma unroll
    for (auto& row : asked_) row = load();
  }
  __device__ bits load() {
    const bits loaded = *reinterpret_cast<const bits*>(next_);
    next_ += step_y_;
    return loaded;
  }
  static __device__ lanes<F, fused_shape::group> to_row(const bits& pixels) {
    return to_lanes<F>(std::bit_cast<pixel_group<In, fused_shape::group>>(pixels));
  }

  const In* next_;
  std::int64_t step_y_;
  bits asked_[fused_shape::rows_at_once];
};

/// The same anywhere. Column offsets are the same in all rows and computed once.
template <int R, class F, class In>
class rows_anywhere {
 public:
  static constexpr bool inside = false;

  __device__ rows_anywhere(const view<const In>& in, const border<F>& edge, site p)
      : in_(in), edge_(edge), z_(p.z), y_(p.y - R) {
#pragma unroll
    for (int c = 0; c < fused_shape::group; ++c) {
      const std::int64_t x = p.x + c;
      const bool outside = edge.mode == border_mode::constant && (x < 0 || x >= in.width);
      if (outside) outside_ |= 1u << c;
      column_[c] = outside ? 0 : fold_near(edge, x, in.width) * in.step_x;
    }
  }
  __device__ void read_first(lanes<F, fused_shape::group>* rows) { read_some<2 * R>(rows); }
  __device__ void read(lanes<F, fused_shape::group>* rows) { read_some<fused_shape::rows_at_once>(rows); }
  /// Under a constant border, sums along y outside the image are that constant too.
  __device__ bool replaces(int c) const { return outside_ >> c & 1; }

 private:
  /// All loads are issued before the first use, because memory latency dominates here.
  template <int Count>
  __device__ void read_some(lanes<F, fused_shape::group>* rows) {
    In pixel[Count][fused_shape::group];
    unsigned above_or_below = 0;
#pragma unroll
    for (int i = 0; i < Count; ++i, ++y_) {
      const bool outside = edge_.mode == border_mode::constant && (y_ < 0 || y_ >= in_.height);
      if (outside) above_or_below |= 1u << i;
      const In* const row = in_.at(z_, outside ? 0 : fold_near(edge_, y_, in_.height));
#pragma unroll
      for (int c = 0; c < fused_shape::group; ++c) pixel[i][c] = row[column_[c]];
    }
#pragma unroll
    for (int i = 0; i < Count; ++i)
      rows[i] = for_lanes<F, fused_shape::group>([&](int c) {
        return replaces(c) || (above_or_below >> i & 1) ? edge_.outside : to_value<F>(pixel[i][c]);
      });
  }

  const view<const In>& in_;
  const border<F>& edge_;
  std::int64_t z_, y_, column_[fused_shape::group];
  unsigned outside_ = 0;
};

/// Sums along y, double-buffered.
template <class F>
using fused_lines = pixel_group<F, fused_shape::group>[2][fused_shape::rows_at_once][fused_shape::threads];

/// The work of one block; p is the first place of this thread.
template <class Rows, int R, class F, class In>
__device__ __forceinline__ void sum_block(const fused_weights<F>& half, const border<F>& edge,
                                          bool aligned_out, const view<F>& out, const view<const In>& in,
                                          site p, fused_lines<F>& line) {
  using shape = fused_shape;
  constexpr int group = shape::group, step = shape::rows_at_once, margin = shape::margin / group;
  using sums = pixel_group<F, group>;
  const int rows_here = Rows::inside || out.height - p.y > shape::rows_down
                            ? shape::rows_down
                            : static_cast<int>(out.height - p.y);
  const int thread = static_cast<int>(threadIdx.x);
  // Threads of the margins repeat the sums of others along x, which costs less than a branch.
  const int middle = thread < margin                     ? margin
                     : thread >= shape::threads - margin ? shape::threads - margin - 1
                                                         : thread;
  const bool writes = middle == thread && p.x < out.width;
  const bool whole = aligned_out && p.x + group <= out.width;
  F* to = &out[p];

  Rows rows(in, edge, p);
  lanes<F, group> row[2 * R + step];
  rows.read_first(row);
#pragma unroll 1
  for (int y = 0, buffer = 0; y < rows_here; y += step, buffer ^= 1) {
    rows.read(row + 2 * R);
#pragma unroll
    for (int i = 0; i < step; ++i) {
      sums found;
#pragma unroll
      for (int c = 0; c < group; ++c) {
        const F sum = symmetric_sum_at<R>(half.y, [&](int k) { return row[i + R + k].value[c]; });
        found.value[c] = rows.replaces(c) ? edge.outside : sum;
      }
      line[buffer][i][thread] = found;
    }
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) row[i] = row[i + step];
    __syncthreads();  // no thread can be two steps ahead, so one barrier suffices for two buffers
#pragma unroll
    for (int i = 0; i < step; ++i, to += out.step_y) {
      constexpr int reach = ceil_div(R, group);
      sums around[2 * reach + 1];
#pragma unroll
      for (int g = 0; g <= 2 * reach; ++g) around[g] = line[buffer][i][middle + g - reach];
      const auto beside = [&](int x) { return around[(x + reach * group) / group].value[x & (group - 1)]; };
      sums found;
#pragma unroll
      for (int c = 0; c < group; ++c)
        found.value[c] = symmetric_sum_at<R>(half.x, [&](int k) { return beside(c + k); });
      if (!writes || (!Rows::inside && y + i >= rows_here)) continue;
      if (Rows::inside || whole) {
        store_whole(to, found);
      } else {
#pragma unroll
        for (int c = 0; c < group; ++c)
          if (p.x + c < out.width) to[c * out.step_x] = found.value[c];
      }
    }
  }
}

template <int R, class F, class In>
__global__ void __launch_bounds__(fused_shape::threads, tuning::fused_blocks)
    sum_along_y_and_x(const __grid_constant__ fused_weights<F> half, const __grid_constant__ border<F> edge,
                      bool aligned_in, bool aligned_out, const __grid_constant__ view<F> out,
                      const __grid_constant__ view<const In> in) {
  using shape = fused_shape;
  __shared__ fused_lines<F> line;
  const std::int64_t first = std::int64_t{blockIdx.x} * shape::written - shape::margin;
  const site p{blockIdx.z, std::int64_t{blockIdx.y} * shape::rows_down, first + threadIdx.x * shape::group};
  const bool inside = aligned_in && aligned_out && first >= 0 && first + shape::columns <= in.width &&
                      p.y >= R && p.y + shape::rows_down + R + shape::rows_at_once <= in.height;
  if (inside)
    sum_block<rows_inside<R, F, In>, R>(half, edge, aligned_out, out, in, p, line);
  else
    sum_block<rows_anywhere<R, F, In>, R>(half, edge, aligned_out, out, in, p, line);
}

/// Returns false if the kernel does not support the filter or the image's shape.
template <class In>
bool run_fused(const gpu& on, const separable_weights<float>& weights, const border<float>& edge,
               const view<float>& out, const view<const In>& in) {
  using shape = fused_shape;
  const auto r = weights[1].size();
  const auto down = ceil_div(out.height, shape::rows_down);
  if (weights.odd != std::array<bool, 3>{} || r != weights[2].size() || r < 2 ||
      r > largest_fused_radius + 1 || down > 65535 || out.depth > 65535)
    return false;
  fused_weights<float> half{};
  std::ranges::copy(weights[1], half.y);
  std::ranges::copy(weights[2], half.x);
  const dim3 blocks(static_cast<unsigned>(ceil_div(out.width, shape::written)), static_cast<unsigned>(down),
                    static_cast<unsigned>(out.depth));
  const auto launch = [&]<int R>(std::integral_constant<int, R>) {
    sum_along_y_and_x<R><<<blocks, shape::threads, 0, on.stream>>>(
        half, edge, has_aligned_groups(in, shape::group), has_aligned_groups(out, shape::group), out, in);
    on.launched("separable");
  };
  const auto find = [&]<int... R>(std::integer_sequence<int, R...>) {
    ((std::cmp_equal(r, R + 2) ? launch(std::integral_constant<int, R + 1>{}) : void()), ...);
  };
  find(std::make_integer_sequence<int, largest_fused_radius>{});
  return true;
}

}  // namespace macareu::cuda

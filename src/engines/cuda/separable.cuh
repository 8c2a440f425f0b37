// Weighted sums on the GPU. Where the filter has one radius of at most 8 along y and x, both sums are one
// kernel: a thread has four columns, whose rows slide through its registers; their sums along y go through
// shared memory to the threads that need them for those along x. Other filters take one pass per axis.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engines/cuda/map.cuh"
#include "engines/cuda/residence.cuh"
#include "engines/cuda/window.cuh"
#include "patterns/map.hpp"
#include "patterns/weighted.hpp"

namespace macareu::cuda {

inline constexpr int largest_fused_radius = 8;

template <class F>
struct fused_weights {
  F y[largest_fused_radius + 1], x[largest_fused_radius + 1];
};

/// value(k) for k = -r ... r.
template <int R, class F, class Value>
__device__ F symmetric_sum_at(const F* half, Value&& value) {
  F sum = value(0) * half[0];
#pragma unroll
  for (int k = R; k > 0; --k) sum += (value(-k) + value(k)) * half[k];
  return sum;
}

struct fused_shape {
  static constexpr int threads = 128, group = 4;
  static constexpr int columns = threads * group;      // with a margin on both sides
  static constexpr int margin = largest_fused_radius;  // a multiple of the group
  static constexpr int written = columns - 2 * margin;
  static constexpr int rows_at_once = 4, rows_down = 128;

  /// By a multiprocessor: as many as there are registers for.
  template <int R, class In>
  static constexpr int blocks_held = R <= 6 && sizeof(In) == 1 ? 5 : 4;
};

/// Four columns of some rows of the image, as they slide through a thread's registers.
template <int R, class F>
struct sliding_rows {
  static constexpr int group = fused_shape::group, step = fused_shape::rows_at_once;
  lanes<F, group> row[2 * R + step];

  __device__ void move_down() {
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) row[i] = row[i + step];
  }
};

/// Where all rows that the block needs, and those of a step more, are inside the image and aligned. They are
/// on their way, as pixels, while the step before is summed up.
template <int R, class F, class In>
struct rows_inside : sliding_rows<R, F> {
  using sliding_rows<R, F>::group, sliding_rows<R, F>::step, sliding_rows<R, F>::row;
  static constexpr bool inside = true;
  using bits = group_bits<In, group>;  // not split into pixels before they are needed
  bits next[step];
  const In* ahead;

  __device__ rows_inside(const view<const In>& in, const border<F>&, bool, site p)
      : ahead(&in[{p.z, p.y - R, p.x}]) {
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) row[i] = to_row(load(in));
#pragma unroll
    for (int i = 0; i < step; ++i) next[i] = load(in);
  }
  __device__ void read(const view<const In>& in, const border<F>&, bool, site) {
#pragma unroll
    for (int i = 0; i < step; ++i) row[2 * R + i] = to_row(next[i]);
#pragma unroll
    for (int i = 0; i < step; ++i) next[i] = load(in);
  }
  __device__ bits load(const view<const In>& in) {
    const bits loaded = *reinterpret_cast<const bits*>(ahead);
    ahead += in.step_y;
    return loaded;
  }
  static __device__ lanes<F, group> to_row(const bits& pixels) {
    return to_lanes<F>(std::bit_cast<pixel_group<In, group>>(pixels));
  }
};

template <int R, class F, class In>
struct rows_anywhere : sliding_rows<R, F> {
  using sliding_rows<R, F>::group, sliding_rows<R, F>::step, sliding_rows<R, F>::row;
  static constexpr bool inside = false;

  __device__ rows_anywhere(const view<const In>& in, const border<F>& edge, bool aligned, site p) {
    read_some<2 * R>(in, edge, aligned, site{p.z, p.y - R, p.x}, 0);
  }
  __device__ void read(const view<const In>& in, const border<F>& edge, bool aligned, site p) {
    read_some<step>(in, edge, aligned, site{p.z, p.y + R, p.x}, 2 * R);
  }
  /// `Count` rows, the first one at p, to `row` from `line` on.
  template <int Count>
  __device__ void read_some(const view<const In>& in, const border<F>& edge, bool aligned, site p, int line) {
    const bool whole = p.x >= 0 && p.x + group <= in.width && p.y >= 0 && p.y + Count <= in.height;
    const In* const first = &in[p];
    if (whole && aligned) {
#pragma unroll
      for (int i = 0; i < Count; ++i) row[line + i] = to_lanes<F>(load_whole<group>(first + i * in.step_y));
    } else if (whole) {
#pragma unroll
      for (int i = 0; i < Count; ++i)
        row[line + i] =
            for_lanes<F, group>([&](int c) { return to_value<F>(first[i * in.step_y + c * in.step_x]); });
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        lanes<F, group> found;  // the rows stay in registers
        read_over_border(in, edge, site{p.z, p.y + i, p.x}, group, found.value);
        row[line + i] = found;
      }
    }
  }
};

/// Sums along y, of two steps.
template <class F>
using fused_lines = pixel_group<F, fused_shape::group>[2][fused_shape::rows_at_once][fused_shape::threads];

/// The part of one block; p is the first place of this thread.
template <class Rows, int R, class F, class In>
__device__ __forceinline__ void sum_block(const fused_weights<F>& half, const border<F>& edge,
                                          bool aligned_in, bool aligned_out, const view<F>& out,
                                          const view<const In>& in, site p, fused_lines<F>& line) {
  using shape = fused_shape;
  constexpr int group = shape::group, step = shape::rows_at_once, margin = shape::margin / group;
  using sums = pixel_group<F, group>;
  const int rows_here = Rows::inside || out.height - p.y > shape::rows_down
                            ? shape::rows_down
                            : static_cast<int>(out.height - p.y);
  const int thread = static_cast<int>(threadIdx.x);
  // Threads of the margins repeat what others sum up along x: it costs less than a branch.
  const int middle = thread < margin                     ? margin
                     : thread >= shape::threads - margin ? shape::threads - margin - 1
                                                         : thread;
  const bool writes = middle == thread && p.x < out.width;
  const bool whole = aligned_out && p.x + group <= out.width;
  // Under a constant border the sums beside the image are that constant too.
  const bool replaces =
      !Rows::inside && edge.mode == border_mode::constant && (p.x < 0 || p.x + group > in.width);
  F* to = &out[p];

  Rows rows(in, edge, aligned_in, p);
#pragma unroll 1
  for (int y = 0, buffer = 0; y < rows_here; y += step, p.y += step, buffer ^= 1) {
    rows.read(in, edge, aligned_in, p);
#pragma unroll
    for (int i = 0; i < step; ++i) {
      sums found;
#pragma unroll
      for (int c = 0; c < group; ++c)
        found.value[c] = symmetric_sum_at<R>(half.y, [&](int k) { return rows.row[i + R + k].value[c]; });
      line[buffer][i][thread] = found;
    }
    if (replaces) {
#pragma unroll 1
      for (int c = 0; c < group; ++c)
        for (int i = 0; i < step && (p.x + c < 0 || p.x + c >= in.width); ++i)
          line[buffer][i][thread].value[c] = edge.outside;
    }
    rows.move_down();
    __syncthreads();  // of the next but one step no thread can be ahead: one barrier does for two buffers
#pragma unroll
    for (int i = 0; i < step; ++i, to += out.step_y) {
      constexpr int reach = (R + group - 1) / group;
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
__global__ void __launch_bounds__(fused_shape::threads, fused_shape::blocks_held<R, In>)
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
    sum_block<rows_inside<R, F, In>, R>(half, edge, aligned_in, aligned_out, out, in, p, line);
  else
    sum_block<rows_anywhere<R, F, In>, R>(half, edge, aligned_in, aligned_out, out, in, p, line);
}

/// False where the shape does not suit it.
template <class In>
bool run_fused(const gpu& on, const separable_weights<float>& weights, const border<float>& edge,
               const view<float>& out, const view<const In>& in) {
  using shape = fused_shape;
  const auto r = weights[1].size();
  const auto divided = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto down = divided(out.height, shape::rows_down);
  if (r != weights[2].size() || r < 2 || r > largest_fused_radius + 1 || down > 65535 || out.depth > 65535)
    return false;
  fused_weights<float> half{};
  std::ranges::copy(weights[1], half.y);
  std::ranges::copy(weights[2], half.x);
  const dim3 blocks(static_cast<unsigned>(divided(out.width, shape::written)), static_cast<unsigned>(down),
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

/// Small arrays for kernels.
template <class T>
device_array<T> on_device(const gpu& on, std::span<const T> from) {
  device_array<T> to(on, static_cast<std::int64_t>(from.size()));
  check(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice, on.stream),
        "cudaMemcpyAsync");
  return to;
}

template <class F, class In>
void sum_along(const gpu& on, std::span<const F> half, int axis, const border<F>& edge, const view<F>& out,
               const view<const In>& in) {
  const auto weights = on_device(on, half);
  const symmetric_sum<F> sum{weights.data(), static_cast<int>(half.size()) - 1, axis};
  const border<In> outer{edge.mode, static_cast<In>(edge.outside)};
  run_window(on, sum, outer, out, in);
}

/// Through images between the axes; those before the last one read F.
template <class F, class In>
void run_separable(const gpu& on, const separable_weights<F>& weights, const border<F>& edge,
                   const view<F>& out, const view<const In>& in) {
  if constexpr (std::is_same_v<F, float> && (sizeof(In) == 1 || std::is_same_v<In, float>))
    if (weights[0].empty() && run_fused(on, weights, edge, out, in)) return;
  const device_image<F> from(on, in.depth, in.height, in.width);
  run_map(on, as_type<F>{}, from.pixels(), in);
  std::optional<device_image<F>> between;
  view<const F> current = from.pixels();
  int left = 0;
  for (const auto& half : weights) left += !half.empty();
  if (left == 0) return run_map(on, as_type<F>{}, out, current);
  if (left > 1) between.emplace(on, in.depth, in.height, in.width);
  for (int axis = 0; axis < 3; ++axis) {
    const auto& half = weights[static_cast<std::size_t>(axis)];
    if (half.empty()) continue;
    // To and fro between two images, and at last to the output.
    const view<F> to = --left == 0                          ? out
                       : current.data == from.pixels().data ? between->pixels()
                                                            : from.pixels();
    sum_along(on, std::span<const F>(half), axis, edge, to, current);
    current = to;
  }
}

template <class F, class In>
void run_weighted(const gpu& on, std::span<const tap<F>> taps, const border<F>& edge, const view<F>& out,
                  const view<const In>& in) {
  const auto weights = on_device(on, taps);
  const weighted_sum_of<F> sum{weights.data(), static_cast<int>(taps.size()), radius_of(taps)};
  if constexpr (std::is_same_v<F, In>) {
    run_window(on, sum, edge, out, in);
  } else {
    const device_image<F> from(on, in.depth, in.height, in.width);
    run_map(on, as_type<F>{}, from.pixels(), in);
    run_window(on, sum, edge, out, view<const F>(from.pixels()));
  }
}

}  // namespace macareu::cuda

// Weighted sums on the GPU. Where the filter has one radius of at most 8 along y and x, both sums are one
// kernel: a thread has four columns, whose rows slide through its registers; their sums along y go through
// shared memory to the threads that need them for those along x. Other filters take one pass per axis.
#pragma once

#include <algorithm>
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
  static constexpr int blocks_held = 4;  // by a multiprocessor
};

/// Four columns of some rows of the image, as they slide through a thread's registers.
template <class F, class In, int Kept>
struct column_rows {
  using shape = fused_shape;
  lanes<F, shape::group> row[Kept];

  /// `Count` rows, the first one at p, to `row` from `line` on.
  template <int Count>
  __device__ void read(const view<const In>& in, const border<F>& edge, bool aligned, site p, int line) {
    const bool inside = p.x >= 0 && p.x + shape::group <= in.width && p.y >= 0 && p.y + Count <= in.height;
    const In* const first = &in[p];
    if (inside && aligned) {
#pragma unroll
      for (int i = 0; i < Count; ++i)
        row[line + i] = to_lanes<F>(load_whole<shape::group>(first + i * in.step_y));
    } else if (inside) {
#pragma unroll
      for (int i = 0; i < Count; ++i)
        row[line + i] = for_lanes<F, shape::group>(
            [&](int c) { return to_value<F>(first[i * in.step_y + c * in.step_x]); });
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        lanes<F, shape::group> found;  // the rows stay in registers
        read_over_border(in, edge, site{p.z, p.y + i, p.x}, shape::group, found.value);
        row[line + i] = found;
      }
    }
  }
};

template <int R, class F, class In>
__global__ void __launch_bounds__(fused_shape::threads, fused_shape::blocks_held)
    sum_along_y_and_x(fused_weights<F> half, const __grid_constant__ border<F> edge, bool aligned_in,
                      bool aligned_out, const __grid_constant__ view<F> out,
                      const __grid_constant__ view<const In> in) {
  using shape = fused_shape;
  constexpr int group = shape::group, step = shape::rows_at_once, kept = step + 2 * R;
  using sums = pixel_group<F, group>;
  __shared__ sums line[2][step][shape::threads];
  const std::int64_t first = std::int64_t{blockIdx.x} * shape::written - shape::margin;
  site p{blockIdx.z, std::int64_t{blockIdx.y} * shape::rows_down, first + threadIdx.x * group};
  const auto end = p.y + shape::rows_down < out.height ? p.y + shape::rows_down : out.height;
  const bool writes = threadIdx.x >= shape::margin / group &&
                      threadIdx.x < shape::threads - shape::margin / group && p.x < out.width;
  const bool whole = aligned_out && p.x + group <= out.width;
  // Under a constant border the sums beside the image are that constant too.
  const bool replaces = edge.mode == border_mode::constant && (p.x < 0 || p.x + group > in.width);

  column_rows<F, In, kept> rows;
  rows.template read<2 * R>(in, edge, aligned_in, site{p.z, p.y - R, p.x}, 0);
#pragma unroll 1
  for (int buffer = 0; p.y < end; p.y += step, buffer ^= 1) {
    rows.template read<step>(in, edge, aligned_in, site{p.z, p.y + R, p.x}, 2 * R);
#pragma unroll
    for (int i = 0; i < step; ++i) {
      sums found;
#pragma unroll
      for (int c = 0; c < group; ++c)
        found.value[c] = symmetric_sum_at<R>(half.y, [&](int k) { return rows.row[i + R + k].value[c]; });
      line[buffer][i][threadIdx.x] = found;
    }
    if (replaces) {
#pragma unroll 1
      for (int c = 0; c < group; ++c)
        for (int i = 0; i < step && (p.x + c < 0 || p.x + c >= in.width); ++i)
          line[buffer][i][threadIdx.x].value[c] = edge.outside;
    }
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) rows.row[i] = rows.row[i + step];
    __syncthreads();  // of the next but one step no thread can be ahead: one barrier does for two buffers
    if (!writes) continue;
    const bool plain = whole && p.y + step <= end;
    F* const to = &out[p];
#pragma unroll
    for (int i = 0; i < step; ++i) {
      constexpr int reach = (R + group - 1) / group;
      sums around[2 * reach + 1];
#pragma unroll
      for (int g = 0; g <= 2 * reach; ++g) around[g] = line[buffer][i][threadIdx.x + g - reach];
      const auto beside = [&](int x) { return around[(x + reach * group) / group].value[x & (group - 1)]; };
      sums found;
#pragma unroll
      for (int c = 0; c < group; ++c)
        found.value[c] = symmetric_sum_at<R>(half.x, [&](int k) { return beside(c + k); });
      if (plain) {
        store_whole(to + i * out.step_y, found);
      } else if (p.y + i < end) {
#pragma unroll
        for (int c = 0; c < group; ++c)
          if (p.x + c < out.width) to[i * out.step_y + c * out.step_x] = found.value[c];
      }
    }
  }
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

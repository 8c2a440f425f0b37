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
};

/// Four values of a row of the image, or of what lies around it.
template <class F, class In>
__device__ lanes<F, 4> row_group(const view<const In>& in, const border<F>& edge, bool aligned, site p) {
  const bool outside_rows = p.y < 0 || p.y >= in.height;
  const bool constant = edge.mode == border_mode::constant;
  if (outside_rows && constant) return for_lanes<F, 4>([&](int) { return edge.outside; });
  const std::int64_t y = outside_rows ? edge.fold(p.y, in.height) : p.y;
  if (p.x >= 0 && p.x + 4 <= in.width) {
    const auto loaded = load_group<4>(in, site{p.z, y, p.x}, aligned);
    return for_lanes<F, 4>([&](int i) { return loaded.value[i]; });
  }
  return for_lanes<F, 4>([&](int i) {
    const std::int64_t x = p.x + i;
    if (x >= 0 && x < in.width) return static_cast<F>(in[{p.z, y, x}]);
    return constant ? edge.outside : static_cast<F>(in[{p.z, y, edge.fold(x, in.width)}]);
  });
}

template <int R, class F, class In>
__global__ void __launch_bounds__(fused_shape::threads)
    sum_along_y_and_x(fused_weights<F> half, border<F> edge, bool aligned_in, bool aligned_out, view<F> out,
                      view<const In> in) {
  using shape = fused_shape;
  constexpr int group = shape::group, step = shape::rows_at_once, kept = step + 2 * R;
  __shared__ alignas(16) F line[2][step][shape::columns];
  const std::int64_t first = std::int64_t{blockIdx.x} * shape::written - shape::margin;
  site p{blockIdx.z, std::int64_t{blockIdx.y} * shape::rows_down, first + threadIdx.x * group};
  const auto last_row = p.y + shape::rows_down < out.height ? p.y + shape::rows_down : out.height;
  const bool constant = edge.mode == border_mode::constant;
  const bool writes = threadIdx.x >= shape::margin / group &&
                      threadIdx.x < shape::threads - shape::margin / group && p.x < out.width;

  lanes<F, group> rows[kept];
#pragma unroll
  for (int i = 0; i < 2 * R; ++i) rows[i] = row_group(in, edge, aligned_in, site{p.z, p.y + i - R, p.x});
  for (int buffer = 0; p.y < last_row; p.y += step, buffer ^= 1) {
#pragma unroll
    for (int i = 0; i < step; ++i)
      rows[2 * R + i] = row_group(in, edge, aligned_in, site{p.z, p.y + R + i, p.x});
#pragma unroll
    for (int i = 0; i < step; ++i) {
      pixel_group<F, group> sums;
#pragma unroll
      for (int c = 0; c < group; ++c) {
        const F sum = symmetric_sum_at<R>(half.y, [&](int k) { return rows[i + R + k].value[c]; });
        sums.value[c] = constant && (p.x + c < 0 || p.x + c >= in.width) ? edge.outside : sum;
      }
      *reinterpret_cast<pixel_group<F, group>*>(&line[buffer][i][threadIdx.x * group]) = sums;
    }
#pragma unroll
    for (int i = 0; i < 2 * R; ++i) rows[i] = rows[i + step];
    __syncthreads();  // of the next but one step no thread can be ahead: one barrier does for two buffers
    if (!writes) continue;
#pragma unroll
    for (int i = 0; i < step; ++i) {
      if (p.y + i >= last_row) break;
      constexpr int reach = (R + group - 1) / group * group;
      F around[2 * reach + group];
#pragma unroll
      for (int g = 0; g < (2 * reach + group) / group; ++g)
        *reinterpret_cast<pixel_group<F, group>*>(around + g * group) =
            *reinterpret_cast<const pixel_group<F, group>*>(
                &line[buffer][i][threadIdx.x * group + g * group - reach]);
      pixel_group<F, group> sums;
#pragma unroll
      for (int c = 0; c < group; ++c)
        sums.value[c] = symmetric_sum_at<R>(half.x, [&](int k) { return around[reach + c + k]; });
      const site q{p.z, p.y + i, p.x};
      if (p.x + group <= out.width)
        store_group(out, q, aligned_out, sums);
      else
        for (int c = 0; c < group; ++c)
          if (p.x + c < out.width) out[{q.z, q.y, q.x + c}] = sums.value[c];
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

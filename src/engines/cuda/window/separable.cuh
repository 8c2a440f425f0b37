// Weighted sums on the GPU: one kernel for y and x if fused_sums.cuh supports the filter, else one pass per
// axis.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "engines/cuda/map/map.cuh"
#include "engines/cuda/runtime/residence.cuh"
#include "engines/cuda/window/fused_sums.cuh"
#include "engines/cuda/window/window.cuh"
#include "patterns/map.hpp"
#include "patterns/weighted.hpp"

namespace macareu::cuda {

/// Copies a small array to device memory.
template <class T>
device_array<T> on_device(const gpu& on, std::span<const T> from) {
  device_array<T> to(on, static_cast<std::int64_t>(from.size()));
  check(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice, on.stream),
        "cudaMemcpyAsync");
  on.reads_host = true;
  return to;
}

template <class F, class In>
void sum_along(const gpu& on, std::span<const F> half, int axis, bool odd, const border<F>& edge,
               const view<F>& out, const view<const In>& in) {
  const auto weights = on_device(on, half);
  const axis_sum<F> sum{weights.data(), static_cast<int>(half.size()) - 1, axis, odd};
  const border<In> outer{edge.mode, static_cast<In>(edge.outside)};
  run_window(on, sum, outer, out, in);
}

/// Sums along one axis after another, with intermediate images of F.
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
    // Alternates between two images and ends in the output.
    const view<F> to = --left == 0                          ? out
                       : current.data == from.pixels().data ? between->pixels()
                                                            : from.pixels();
    sum_along(on, std::span<const F>(half), axis, weights.odd[static_cast<std::size_t>(axis)], edge, to,
              current);
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

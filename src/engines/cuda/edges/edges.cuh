// edges on the GPU:
//   images         a block takes a tile through all stages (edge_tiles.cuh); the input is read once and two
//                  bits per pixel are written, which the kernels of labels link
//   large images   with more pixels than labels have ids: tiles write levels, and the wave links them
//   otherwise      one kernel per stage, then levels and the wave; for volumes, for stages that are kept, and
//                  for weights that reach too far for shared memory
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "core/ceil_div.hpp"
#include "engines/cuda/component/labelling.cuh"
#include "engines/cuda/edges/edge_tiles.cuh"
#include "engines/cuda/map/map.cuh"
#include "engines/cuda/runtime/residence.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/window/separable.cuh"
#include "engines/cuda/window/window.cuh"
#include "patterns/edges.hpp"

namespace macareu::cuda {

template <class Value>
struct rounded_to {
  MACAREU_HD double operator()(site, double sum) const {
    return static_cast<double>(static_cast<Value>(sum));
  }
};

template <class Rule>
__global__ void mark_pixels(pixel_tiles tiles, Rule rule, kept_views<typename Rule::value> kept,
                            view<std::uint8_t> levels, view<const typename Rule::value> smooth,
                            view<const typename Rule::value> derived) {
  using value = typename Rule::value;
  tiles.for_each_group<1>([&](site p, int) {
    const near_pixels<value> s{smooth, {border_mode::nearest, value{}}, p},
        d{derived, {border_mode::nearest, value{}}, p};
    const bool marks = marks_at<Rule>(p, levels.height, levels.width);
    levels[p] = marks ? rule.level(s, d) : std::uint8_t{0};
    if (kept.gradient.data) kept.gradient[p] = rule.gradient(s);
    if (kept.crossings.data) kept.crossings[p] = marks && rule.crossing(s, d);
  });
}

template <class Value>
__global__ void finish_smooth(pixel_tiles tiles, device_smoothing how, view<Value> out,
                              view<const double> sums) {
  tiles.for_each_group<1>(
      [&](site p, int) { out[p] = how.divided(static_cast<Value>(sums[p]), p, out.height, out.width); });
}

using tuning::walked_reaches;
/// Pixel types with compiled walks.
template <class In>
inline constexpr bool can_walk =
    std::is_same_v<In, std::uint8_t> || std::is_same_v<In, std::uint16_t> || std::is_same_v<In, float>;

/// The reach of the weights if a walk is compiled for it, else 0.
template <class In>
int walked_reach(const smoothing& how) {
  const auto radius = radius_of(how.weights);
  const bool alike = radius.y == radius.x && !how.weights[1].empty() && !how.weights[2].empty();
  const bool known = std::ranges::find(walked_reaches, radius.x) != std::end(walked_reaches);
  return can_walk<In> && alike && known ? radius.x : 0;
}

/// A smoothing, with GPU memory for data that is not passed as kernel parameters.
class smoothing_there {
 public:
  smoothing_there(const gpu& on, const smoothing& how, bool walks) {
    if (!how.shares.empty()) shares_ = on_device(on, std::span<const double>(how.shares));
    const auto radius = radius_of(how.weights);
    kernels_ = {nullptr, nullptr, radius.y, radius.x, how.edge, how.classes, shares_.data(), {}};
    if (walks) {
      std::ranges::copy(how.weights[1], kernels_.near.y);
      std::ranges::copy(how.weights[2], kernels_.near.x);
      return;
    }
    weights_y_ = on_device(on, std::span<const double>(how.weights[1]));
    weights_x_ = on_device(on, std::span<const double>(how.weights[2]));
    kernels_.y = weights_y_.data();
    kernels_.x = weights_x_.data();
  }

  operator const device_smoothing&() const { return kernels_; }

 private:
  device_array<double> weights_y_, weights_x_, shares_;
  device_smoothing kernels_;
};

template <int Reach, class Rule, class Enter, class In>
void launch_marks(const gpu& on, const Rule& rule, const device_smoothing& how, const Enter& enter,
                  const view<const In>& in, const edge_marks& to) {
  const auto across = ceil_div(in.width, edge_tile::columns), down = ceil_div(in.height, edge_tile::rows);
  const auto bytes = edge_tile::bytes<typename Rule::value>(how.reach_x);
  const auto kernel = mark_tile<Reach, Rule, Enter, In>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
  kernel<<<static_cast<unsigned>(across * down), edge_tile::threads, bytes, on.stream>>>(
      rule, how, edge_source<Enter, In>{enter, in}, to, static_cast<std::uint32_t>(across));
  on.launched("edges");
}

/// Returns false if the tile does not fit shared memory.
template <class Rule, class Enter, class In>
bool mark_image(const gpu& on, const Rule& rule, const smoothing& how, const Enter& enter,
                const view<const In>& in, const edge_marks& to) {
  int most_shared = 0;
  check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, on.number),
        "cudaDeviceGetAttribute");
  const auto bytes = edge_tile::bytes<typename Rule::value>(radius_of(how.weights).x);
  if (bytes > static_cast<std::size_t>(most_shared)) return false;
  const int walked = walked_reach<In>(how);
  const smoothing_there kernels(on, how, walked > 0);
  const auto try_reach = [&]<int Reach>(std::integral_constant<int, Reach>) {
    if constexpr (Reach == 0 || can_walk<In>)
      if (walked == Reach) launch_marks<Reach>(on, rule, kernels, enter, in, to);
  };
  try_reach(std::integral_constant<int, 0>{});
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (try_reach(std::integral_constant<int, walked_reaches[I]>{}), ...);
  }
  (std::make_index_sequence<std::size(walked_reaches)>{});
  return true;
}

/// Writes levels with one kernel per stage.
template <class Rule, class Enter, class In>
void mark_by_stages(const gpu& on, const Rule& rule, const smoothing& how, const Enter& enter,
                    const view<const In>& in, const kept_views<typename Rule::value>& kept,
                    const view<std::uint8_t>& levels) {
  using value = typename Rule::value;
  const device_image<double> from(on, in.depth, in.height, in.width), to(on, in.depth, in.height, in.width);
  run_map(on, enter, from.pixels(), in);
  for (int axis = 0; axis < 3; ++axis) {
    const std::span<const double> half = how.weights[static_cast<std::size_t>(axis)];
    if (half.empty()) continue;
    sum_along(on, half, axis, false, how.edge, to.pixels(), view<const double>(from.pixels()));
    run_map(on, rounded_to<value>{}, from.pixels(), view<const double>(to.pixels()));
  }
  const device_image<value> smooth(on, in.depth, in.height, in.width),
      derived(on, in.depth, in.height, in.width);
  const pixel_tiles tiles(levels, 1);
  const smoothing_there kernels(on, how, false);
  finish_smooth<<<tiles.blocks(on), tiles.threads, 0, on.stream>>>(
      tiles, device_smoothing(kernels), smooth.pixels(), view<const double>(from.pixels()));
  on.launched("edges");
  const view<const value> s = smooth.pixels(), d = derived.pixels();
  run_window(on, derived_window<Rule>{rule}, nearest_inside<value>, derived.pixels(), s);
  mark_pixels<<<tiles.blocks(on), tiles.threads, 0, on.stream>>>(tiles, rule, kept, levels, s, d);
  on.launched("edges");
}

/// Finds the edges of an image by bits. Returns false if ids or shared memory do not suffice. `near`: full
/// connectivity.
template <class Rule, class Enter, class In>
bool link_edges(const gpu& on, const Rule& rule, const smoothing& how, const neighbourhood& near,
                const Enter& enter, const view<const In>& in, const view<std::uint8_t>& out) {
  const labels::labelled_form shape{1, in.height, in.width, near, false};
  if (words_of_rows(1, in.height, in.width) > most_gpu_words) return false;
  const labels::labelling parts(on, shape);
  const device_array<std::uint64_t> certain(on, parts.grid().words);
  const edge_marks bits{reinterpret_cast<std::uint32_t*>(parts.set_pixels()),
                        reinterpret_cast<std::uint32_t*>(certain.data()),
                        std::int64_t{parts.grid().across} * 2,
                        {}};
  if (!mark_image(on, rule, how, enter, in, bits)) return false;
  parts.link(certain.data(), out);
  return true;
}

/// Writes the levels of an image. Returns false if its tiles do not fit shared memory.
template <class Rule, class Enter, class In>
bool mark_levels(const gpu& on, const Rule& rule, const smoothing& how, const Enter& enter,
                 const view<const In>& in, const view<std::uint8_t>& levels, bool certain_only = false) {
  return mark_image(on, rule, how, enter, in,
                    {nullptr, nullptr, ceil_div(in.width, 32), levels, certain_only});
}

}  // namespace macareu::cuda

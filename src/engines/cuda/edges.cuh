// edges on the GPU. Images: a block takes a tile of the input with its margin into shared memory and does all
// stages there, so that the input is read once and one level a pixel is written. Volumes, and weights that
// reach too far for shared memory: one kernel for each stage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engines/cuda/map.cuh"
#include "engines/cuda/residence.cuh"
#include "engines/cuda/separable.cuh"
#include "engines/cuda/window.cuh"
#include "patterns/edges.hpp"

namespace macareu::cuda {

/// A smoothing as kernels see it.
struct device_smoothing {
  const double *y, *x;  // weights; null: left as it is
  int reach_y, reach_x;
  border<double> edge;
  share_classes classes;
  const double* shares;

  template <class Value>
  __device__ Value divided(Value smooth, site p, std::int64_t height, std::int64_t width) const {
    if (!shares) return smooth;
    const auto row = share_classes::class_of(p.y, height, classes.rows);
    const auto column = share_classes::class_of(p.x, width, classes.columns);
    return static_cast<Value>(static_cast<double>(smooth) / shares[row * classes.columns + column]);
  }
};

template <class Value>
struct rounded_to {
  MACAREU_HD double operator()(site, double sum) const {
    return static_cast<double>(static_cast<Value>(sum));
  }
};

/// The sum along one line in shared memory, whose values lie `step` apart.
__device__ inline double sum_of_line(const double* half, int reach, const double* at, int step) {
  double sum = at[0] * half[0];
  for (int k = reach; k > 0; --k) sum += (at[-k * step] + at[k * step]) * half[k];
  return sum;
}

/// A part of the image in shared memory, which begins at (top, left) and holds all that is asked for inside
/// the image. Outside it is as at the nearest pixel inside.
template <class Value>
struct tile_pixels {
  const Value* values;
  int pitch;
  std::int64_t top, left, height, width;
  site p;

  __device__ Value operator()(int, int dy, int dx) const {
    const auto y = min(max(p.y + dy, std::int64_t{0}), height - 1);
    const auto x = min(max(p.x + dx, std::int64_t{0}), width - 1);
    return values[static_cast<int>(y - top) * pitch + static_cast<int>(x - left)];
  }
};

struct edge_tile {
  static constexpr int rows = 32, columns = 64;
  static constexpr int across = 32, down = 8;  // threads
  /// Rows and columns of the input, and of the sums along y.
  static constexpr int input_rows(int reach_y) { return rows + 4 + 2 * reach_y; }
  static constexpr int input_columns(int reach_x) { return columns + 4 + 2 * reach_x; }
  static constexpr std::size_t bytes(int reach_y, int reach_x) {
    return sizeof(double) * static_cast<std::size_t>(input_columns(reach_x)) *
           static_cast<std::size_t>(input_rows(reach_y) + rows + 4);
  }
};

/// visit(row, column) for all of a rectangle, by all threads of the block.
template <class Visit>
__device__ void over_rectangle(int rows, int columns, Visit&& visit) {
  for (int row = threadIdx.y; row < rows; row += edge_tile::down)
    for (int column = threadIdx.x; column < columns; column += edge_tile::across) visit(row, column);
}

template <class Rule, class Enter, class In>
__global__ void __launch_bounds__(edge_tile::across* edge_tile::down)
    mark_tile(Rule rule, device_smoothing how, Enter enter, view<const In> in, view<std::uint8_t> levels) {
  using value = typename Rule::value;
  extern __shared__ double shared[];
  const std::int64_t top = std::int64_t{blockIdx.y} * edge_tile::rows - 2;
  const std::int64_t left = std::int64_t{blockIdx.x} * edge_tile::columns - 2;
  const std::int64_t height = in.height, width = in.width;
  const int wide = edge_tile::columns + 4 + 2 * how.reach_x, high = edge_tile::rows + 4 + 2 * how.reach_y;
  double* const input = shared;
  double* const sums = shared + wide * high;
  const bool constant = how.edge.mode == border_mode::constant;

  over_rectangle(high, wide, [&](int row, int column) {
    const auto y = top - how.reach_y + row, x = left - how.reach_x + column;
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    double loaded = how.edge.outside;
    if (inside || !constant) {
      const site q{0, how.edge.fold(y, height), how.edge.fold(x, width)};
      loaded = static_cast<double>(enter(q, in[q]));
    }
    input[row * wide + column] = loaded;
  });
  __syncthreads();
  over_rectangle(edge_tile::rows + 4, wide, [&](int row, int column) {
    const double* const at = input + (row + how.reach_y) * wide + column;
    const auto x = left - how.reach_x + column;
    double sum = *at;
    if (how.y) sum = static_cast<value>(sum_of_line(how.y, how.reach_y, at, wide));
    sums[row * wide + column] = how.y && constant && (x < 0 || x >= width) ? how.edge.outside : sum;
  });
  __syncthreads();
  // What was read is not needed any more.
  constexpr int pitch = edge_tile::columns + 4;
  auto* const smooth = reinterpret_cast<value*>(input);
  over_rectangle(edge_tile::rows + 4, pitch, [&](int row, int column) {
    const site q{0, top + row, left + column};
    if (q.y < 0 || q.y >= height || q.x < 0 || q.x >= width) return;
    const double* const at = sums + row * wide + column + how.reach_x;
    const auto sum = static_cast<value>(how.x ? sum_of_line(how.x, how.reach_x, at, 1) : *at);
    smooth[row * pitch + column] = how.divided(sum, q, height, width);
  });
  __syncthreads();
  auto* const derived = reinterpret_cast<value*>(sums);
  over_rectangle(edge_tile::rows + 2, edge_tile::columns + 2, [&](int row, int column) {
    const site q{0, top + 1 + row, left + 1 + column};
    if (q.y < 0 || q.y >= height || q.x < 0 || q.x >= width) return;
    derived[(row + 1) * pitch + column + 1] =
        rule.derived(tile_pixels<value>{smooth, pitch, top, left, height, width, q});
  });
  __syncthreads();
  over_rectangle(edge_tile::rows, edge_tile::columns, [&](int row, int column) {
    const site q{0, top + 2 + row, left + 2 + column};
    if (q.y >= height || q.x >= width) return;
    const tile_pixels<value> s{smooth, pitch, top, left, height, width, q},
        d{derived, pitch, top, left, height, width, q};
    std::uint8_t level = 0;
    const value strength = rule.strength(s, d);
    if (!(strength < rule.least()) && marks_at<Rule>(q, height, width)) {
      value slopes[Rule::rank];
      rule.slopes(s, slopes);
      level = static_cast<std::uint8_t>(rule.estimate(strength, slopes, d, value{0}));
      if (level == not_sure) level = rule.level(s, d);
    }
    levels[q] = level;
  });
}

template <class Rule>
__global__ void mark_pixels(pixel_tiles tiles, Rule rule, kept_stages<typename Rule::value> kept,
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

/// False where the tile does not fit.
template <class Rule, class Enter, class In>
bool mark_image(const gpu& on, const Rule& rule, const device_smoothing& how, const Enter& enter,
                const view<const In>& in, const view<std::uint8_t>& levels) {
  const auto divided = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto bytes = edge_tile::bytes(how.reach_y, how.reach_x);
  const auto down = divided(in.height, edge_tile::rows);
  int device = 0, most_shared = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cudaDeviceGetAttribute");
  if (Rule::rank != 2 || bytes > static_cast<std::size_t>(most_shared) || down > 65535) return false;
  const auto kernel = mark_tile<Rule, Enter, In>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
  const dim3 blocks(static_cast<unsigned>(divided(in.width, edge_tile::columns)),
                    static_cast<unsigned>(down));
  kernel<<<blocks, dim3(edge_tile::across, edge_tile::down), bytes, on.stream>>>(rule, how, enter, in,
                                                                                 levels);
  on.launched("edges");
  return true;
}

/// Levels by one kernel for each stage.
template <class Rule, class Enter, class In>
void mark_by_stages(const gpu& on, const Rule& rule, const smoothing& how, const device_smoothing& kernels,
                    const Enter& enter, const view<const In>& in,
                    const kept_stages<typename Rule::value>& kept, const view<std::uint8_t>& levels) {
  using value = typename Rule::value;
  const device_image<double> from(on, in.depth, in.height, in.width), to(on, in.depth, in.height, in.width);
  run_map(on, enter, from.pixels(), in);
  for (int axis = 0; axis < 3; ++axis) {
    const std::span<const double> half = how.weights[static_cast<std::size_t>(axis)];
    if (half.empty()) continue;
    sum_along(on, half, axis, how.edge, to.pixels(), view<const double>(from.pixels()));
    run_map(on, rounded_to<value>{}, from.pixels(), view<const double>(to.pixels()));
  }
  const device_image<value> smooth(on, in.depth, in.height, in.width),
      derived(on, in.depth, in.height, in.width);
  const pixel_tiles tiles(levels, 1);
  finish_smooth<<<tiles.blocks(on), tiles.threads, 0, on.stream>>>(tiles, kernels, smooth.pixels(),
                                                                   view<const double>(from.pixels()));
  on.launched("edges");
  const view<const value> s = smooth.pixels(), d = derived.pixels();
  run_window(on, derived_window<Rule>{rule}, nearest_inside<value>, derived.pixels(), s);
  mark_pixels<<<tiles.blocks(on), tiles.threads, 0, on.stream>>>(tiles, rule, kept, levels, s, d);
  on.launched("edges");
}

/// Levels of all pixels, and what is kept of the stages; images are in the GPU's memory.
template <class Rule, class Enter, class In>
void run_edge_marks(const gpu& on, const Rule& rule, const smoothing& how, const Enter& enter,
                    const view<const In>& in, const kept_stages<typename Rule::value>& kept,
                    const view<std::uint8_t>& levels) {
  const auto weights_y = on_device(on, std::span<const double>(how.weights[1]));
  const auto weights_x = on_device(on, std::span<const double>(how.weights[2]));
  const auto shares = on_device(on, std::span<const double>(how.shares));
  const auto radius = radius_of(how.weights);
  const device_smoothing kernels{weights_y.data(), weights_x.data(), radius.y,     radius.x,
                                 how.edge,         how.classes,      shares.data()};
  const bool keeps = kept.gradient.data || kept.crossings.data;
  if (!keeps && how.weights[0].empty() && mark_image(on, rule, kernels, enter, in, levels)) return;
  mark_by_stages(on, rule, how, kernels, enter, in, kept, levels);
}

}  // namespace macareu::cuda

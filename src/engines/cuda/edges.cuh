// edges on the GPU. Images: a block takes a tile of the input with its margin into shared memory and does all
// stages there, so that the input is read once and two bits a pixel are written, which labels' kernels link.
// Volumes, weights that reach too far for shared memory, and stages that are kept: one kernel for each stage,
// one level a pixel, and the wave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engines/cuda/labels/labelling.cuh"
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

/// Pixels of a tile in shared memory, about one of them.
template <class Value, int Pitch>
struct tile_pixels {
  const Value* at;
  __device__ Value operator()(int, int dy, int dx) const { return at[dy * Pitch + dx]; }
};

struct edge_tile {
  static constexpr int rows = 32, columns = 64;  // columns: one word of bits
  static constexpr int pitch = columns + 4;      // of what is smoothed and derived
  static constexpr int across = 32, down = 8;    // threads
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

/// Where a tile with its margin of 2 pixels lies in an image.
struct edge_place {
  std::int64_t top, left, height, width;

  __device__ bool inside(int row, int column) const {
    return top + row >= 0 && top + row < height && left + column >= 0 && left + column < width;
  }
  __device__ bool is_inside() const {
    return top >= 0 && left >= 0 && top + edge_tile::rows + 4 <= height &&
           left + edge_tile::columns + 4 <= width;
  }
  /// Pixels outside the image become those at the nearest pixel inside.
  template <class Value>
  __device__ void repeat_ends(Value* values) const {
    if (is_inside()) return;
    __syncthreads();
    over_rectangle(edge_tile::rows + 4, edge_tile::pitch, [&](int row, int column) {
      if (inside(row, column)) return;
      const auto y = min(max(top + row, std::int64_t{0}), height - 1) - top;
      const auto x = min(max(left + column, std::int64_t{0}), width - 1) - left;
      values[row * edge_tile::pitch + column] = values[y * edge_tile::pitch + x];
    });
  }
};

template <class Rule, class Value>
__device__ int level_in_tile(const Rule& rule, const Value* smooth, const Value* derived) {
  const tile_pixels<Value, edge_tile::pitch> s{smooth}, d{derived};
  const Value strength = rule.strength(s, d);
  if (strength < rule.least()) return 0;
  Value slopes[Rule::rank];
  rule.slopes(s, slopes);
  const auto level = static_cast<int>(rule.estimate(strength, slopes, d, Value{0}));
  return level == not_sure ? rule.level(s, d) : level;
}

/// Two planes of bits, in halves of words; a row has `halves` of them.
struct edge_bits {
  std::uint32_t *marked, *certain;
  std::int64_t halves;
};

template <class Rule, class Enter, class In>
__global__ void __launch_bounds__(edge_tile::across* edge_tile::down)
    mark_tile(Rule rule, device_smoothing how, Enter enter, view<const In> in, edge_bits bits) {
  using value = typename Rule::value;
  extern __shared__ double shared[];
  const edge_place at{std::int64_t{blockIdx.y} * edge_tile::rows - 2,
                      std::int64_t{blockIdx.x} * edge_tile::columns - 2, in.height, in.width};
  const int wide = edge_tile::columns + 4 + 2 * how.reach_x, high = edge_tile::rows + 4 + 2 * how.reach_y;
  double* const input = shared;
  double* const sums = shared + wide * high;
  const bool constant = how.edge.mode == border_mode::constant;

  over_rectangle(high, wide, [&](int row, int column) {
    const auto y = at.top - how.reach_y + row, x = at.left - how.reach_x + column;
    double loaded = how.edge.outside;
    if (y >= 0 && y < at.height && x >= 0 && x < at.width) {
      const site q{0, y, x};
      loaded = static_cast<double>(enter(q, in[q]));
    } else if (!constant) {
      const site q{0, how.edge.fold(y, at.height), how.edge.fold(x, at.width)};
      loaded = static_cast<double>(enter(q, in[q]));
    }
    input[row * wide + column] = loaded;
  });
  __syncthreads();
  over_rectangle(edge_tile::rows + 4, wide, [&](int row, int column) {
    const double* const line = input + (row + how.reach_y) * wide + column;
    const auto x = at.left - how.reach_x + column;
    double sum = *line;
    if (how.y) sum = static_cast<value>(sum_of_line(how.y, how.reach_y, line, wide));
    sums[row * wide + column] = how.y && constant && (x < 0 || x >= at.width) ? how.edge.outside : sum;
  });
  __syncthreads();
  // What was read is not needed any more.
  constexpr int pitch = edge_tile::pitch;
  auto* const smooth = reinterpret_cast<value*>(input);
  over_rectangle(edge_tile::rows + 4, pitch, [&](int row, int column) {
    if (!at.inside(row, column)) return;
    const double* const line = sums + row * wide + column + how.reach_x;
    const auto sum = static_cast<value>(how.x ? sum_of_line(how.x, how.reach_x, line, 1) : *line);
    smooth[row * pitch + column] =
        how.divided(sum, site{0, at.top + row, at.left + column}, at.height, at.width);
  });
  at.repeat_ends(smooth);
  __syncthreads();
  auto* const derived = reinterpret_cast<value*>(sums);
  over_rectangle(edge_tile::rows + 2, edge_tile::columns + 2, [&](int row, int column) {
    const int place = (row + 1) * pitch + column + 1;
    derived[place] = rule.derived(tile_pixels<value, pitch>{smooth + place});
  });
  at.repeat_ends(derived);
  __syncthreads();
  // Lanes of a warp are pixels side by side.
  for (int row = threadIdx.y; row < edge_tile::rows; row += edge_tile::down)
    for (int half = 0; half < edge_tile::columns / 32; ++half) {
      const int column = 32 * half + static_cast<int>(threadIdx.x), place = (row + 2) * pitch + column + 2;
      const site q{0, at.top + 2 + row, at.left + 2 + column};
      int level = 0;
      if (q.y < at.height && q.x < at.width && marks_at<Rule>(q, at.height, at.width))
        level = level_in_tile(rule, smooth + place, derived + place);
      const auto marked = __ballot_sync(~0u, level > 0), certain = __ballot_sync(~0u, level > 1);
      if (threadIdx.x != 0 || q.y >= at.height) continue;
      const auto to = q.y * bits.halves + std::int64_t{blockIdx.x} * (edge_tile::columns / 32) + half;
      bits.marked[to] = marked;
      bits.certain[to] = certain;
    }
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

/// A smoothing in the GPU's memory.
class smoothing_there {
 public:
  smoothing_there(const gpu& on, const smoothing& how)
      : weights_y_(on_device(on, std::span<const double>(how.weights[1]))),
        weights_x_(on_device(on, std::span<const double>(how.weights[2]))),
        shares_(on_device(on, std::span<const double>(how.shares))),
        kernels_{weights_y_.data(),
                 weights_x_.data(),
                 radius_of(how.weights).y,
                 radius_of(how.weights).x,
                 how.edge,
                 how.classes,
                 shares_.data()} {}

  operator const device_smoothing&() const { return kernels_; }

 private:
  device_array<double> weights_y_, weights_x_, shares_;
  device_smoothing kernels_;
};

/// False where the tile does not fit.
template <class Rule, class Enter, class In>
bool mark_image(const gpu& on, const Rule& rule, const device_smoothing& how, const Enter& enter,
                const view<const In>& in, const edge_bits& bits) {
  const auto divided = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto bytes = edge_tile::bytes(how.reach_y, how.reach_x);
  const auto down = divided(in.height, edge_tile::rows);
  int most_shared = 0;
  check(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, on.number),
        "cudaDeviceGetAttribute");
  if (bytes > static_cast<std::size_t>(most_shared) || down > 65535) return false;
  const auto kernel = mark_tile<Rule, Enter, In>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
  const dim3 blocks(static_cast<unsigned>(divided(in.width, edge_tile::columns)),
                    static_cast<unsigned>(down));
  kernel<<<blocks, dim3(edge_tile::across, edge_tile::down), bytes, on.stream>>>(rule, how, enter, in, bits);
  on.launched("edges");
  return true;
}

/// Levels by one kernel for each stage.
template <class Rule, class Enter, class In>
void mark_by_stages(const gpu& on, const Rule& rule, const smoothing& how, const Enter& enter,
                    const view<const In>& in, const kept_stages<typename Rule::value>& kept,
                    const view<std::uint8_t>& levels) {
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
  const smoothing_there kernels(on, how);
  finish_smooth<<<tiles.blocks(on), tiles.threads, 0, on.stream>>>(
      tiles, device_smoothing(kernels), smooth.pixels(), view<const double>(from.pixels()));
  on.launched("edges");
  const view<const value> s = smooth.pixels(), d = derived.pixels();
  run_window(on, derived_window<Rule>{rule}, nearest_inside<value>, derived.pixels(), s);
  mark_pixels<<<tiles.blocks(on), tiles.threads, 0, on.stream>>>(tiles, rule, kept, levels, s, d);
  on.launched("edges");
}

/// Edges of an image by bits; false where that cannot be. `near` are all neighbours.
template <class Rule, class Enter, class In>
bool link_edges(const gpu& on, const Rule& rule, const smoothing& how, const neighbourhood& near,
                const Enter& enter, const view<const In>& in, const view<std::uint8_t>& out) {
  const labels::block_shape shape{1, in.height, in.width, near, false};
  if (!labels::fits_ids(shape)) return false;
  const labels::labelling parts(on, shape);
  const device_array<std::uint64_t> certain(on, parts.grid().words);
  const smoothing_there kernels(on, how);
  const edge_bits bits{reinterpret_cast<std::uint32_t*>(parts.set_pixels()),
                       reinterpret_cast<std::uint32_t*>(certain.data()),
                       std::int64_t{parts.grid().across} * 2};
  if (!mark_image(on, rule, kernels, enter, in, bits)) return false;
  parts.link(certain.data(), out);
  return true;
}

}  // namespace macareu::cuda

// window on the GPU. Away from the border nothing is checked. A small window of a wide rule is kept in
// registers: a thread has a few pixels side by side and goes down their rows, so that each row is read and
// converted once for all rows of the window.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engines/cuda/lanes.cuh"
#include "engines/cuda/pixels.cuh"
#include "patterns/window.hpp"

namespace macareu::cuda {

/// What a rule reads through where its whole window is inside the image.
template <class T>
struct inside_pixels {
  const T* at;
  std::int64_t step_z, step_y, step_x;

  MACAREU_HD T operator()(std::int64_t dz, std::int64_t dy, std::int64_t dx) const {
    return at[dz * step_z + dy * step_y + dx * step_x];
  }
};

template <class T>
__device__ bool holds_window(const view<const T>& image, site p, window_radius radius) {
  return p.x >= radius.x && p.x + radius.x < image.width && p.y >= radius.y &&
         p.y + radius.y < image.height && p.z >= radius.z && p.z + radius.z < image.depth;
}

template <class Rule, class Out, class In>
__global__ void window_pixels(pixel_tiles tiles, Rule rule, border<In> edge, view<Out> out,
                              view<const In> in) {
  tiles.for_each_group<1>([&](site p, int) {
    if (holds_window(in, p, rule.radius()))
      out[p] = rule(p, inside_pixels<In>{&in[p], in.step_z, in.step_y, in.step_x});
    else
      out[p] = rule(p, near_pixels<In>{in, edge, p});
  });
}

/// The shape of the work of one thread in a window kept in registers.
template <class Rule, class Out, class In>
struct register_window {
  using value = typename Rule::value;
  static constexpr window_radius radius = Rule::radius();
  static constexpr int lines = 2 * radius.y + 1, slices = 2 * radius.z + 1;
  static constexpr int places = lines * slices * (2 * radius.x + 1);
  /// Larger windows need the registers for themselves.
  static constexpr int group = places <= 9 ? group_of<Out, In, value>(8) : 1;
  static constexpr int columns = group + 2 * radius.x;
  static constexpr int rows_down = 24;  // of a thread
  static constexpr int warps = 4;       // of a block, below each other
  /// So many steps down are one piece of code, in which rows change their names instead of their registers.
  static constexpr int unrolled = places <= 9 ? lines : 1;

  value rows[slices][lines][columns];

  __device__ lanes<value, group> operator()(int dz, int dy, int dx) const {
    return for_lanes<value, group>(
        [&](int i) { return rows[dz + radius.z][dy + radius.y][dx + radius.x + i]; });
  }

  /// Row `line` of the window of the group at p, from the row at distance `dy` of the image.
  __device__ void read(const view<const In>& in, const border<In>& edge, bool aligned, site p, int line,
                       int dy) {
#pragma unroll
    for (int s = 0; s < slices; ++s) {
      const site q{p.z + s - radius.z, p.y + dy, p.x};
      const bool inside = q.x >= radius.x && q.x + group + radius.x <= in.width && q.y >= 0 &&
                          q.y < in.height && q.z >= 0 && q.z < in.depth;
      if (inside) {
        const auto middle = load_group<group>(in, q, aligned);
#pragma unroll
        for (int i = 0; i < group; ++i) rows[s][line][radius.x + i] = static_cast<value>(middle.value[i]);
#pragma unroll
        for (int i = 1; i <= radius.x; ++i) {
          rows[s][line][radius.x - i] = static_cast<value>(in[{q.z, q.y, q.x - i}]);
          rows[s][line][radius.x + group - 1 + i] = static_cast<value>(in[{q.z, q.y, q.x + group - 1 + i}]);
        }
      } else {
        const near_pixels<In> near{in, edge, q};
#pragma unroll
        for (int i = 0; i < columns; ++i) rows[s][line][i] = static_cast<value>(near(0, 0, i - radius.x));
      }
    }
  }

  __device__ void move_down() {
#pragma unroll
    for (int s = 0; s < slices; ++s)
#pragma unroll
      for (int line = 0; line + 1 < lines; ++line)
#pragma unroll
        for (int i = 0; i < columns; ++i) rows[s][line][i] = rows[s][line + 1][i];
  }
};

template <class Rule, class Out, class In>
__global__ void __launch_bounds__(128)
    window_in_registers(Rule rule, border<In> edge, bool aligned_in, bool aligned_out, view<Out> out,
                        view<const In> in) {
  using window = register_window<Rule, Out, In>;
  constexpr int group = window::group;
  site p{blockIdx.z, (std::int64_t{blockIdx.y} * window::warps + threadIdx.y) * window::rows_down,
         (std::int64_t{blockIdx.x} * 32 + threadIdx.x) * group};
  if (p.x >= out.width || p.y >= out.height) return;
  const bool whole = p.x + group <= out.width;
  window near;
#pragma unroll
  for (int line = 0; line + 1 < window::lines; ++line)
    near.read(in, edge, aligned_in, p, line + 1, line - window::radius.y);
#pragma unroll window::unrolled
  for (int row = 0; row < window::rows_down; ++row) {
    if (p.y >= out.height) break;
    near.move_down();
    near.read(in, edge, aligned_in, p, window::lines - 1, window::radius.y);
    const auto result = rule(p, near);
    pixel_group<Out, group> written;
#pragma unroll
    for (int i = 0; i < group; ++i) written.value[i] = static_cast<Out>(result.value[i]);
    if (whole)
      store_group(out, p, aligned_out, written);
    else
      for (int i = 0; i < group; ++i)
        if (p.x + i < out.width) out[{p.z, p.y, p.x + i}] = written.value[i];
    ++p.y;
  }
}

template <class Rule, class Out, class In>
void run_window(const gpu& on, const Rule& rule, const border<In>& edge, const view<Out>& out,
                const view<const In>& in) {
  constexpr std::int64_t most_slices = 65535, most_down = 65535;
  if constexpr (is_wide<Rule>) {
    using window = register_window<Rule, Out, In>;
    const auto divided = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const auto across = divided(out.width, 32 * window::group);
    const auto down = divided(out.height, window::warps * window::rows_down);
    // Narrow images would leave most of a warp idle.
    if (window::places <= 49 && out.depth <= most_slices && down <= most_down && out.width >= 32) {
      if constexpr (window::places <= 49) {
        const dim3 blocks(static_cast<unsigned>(across), static_cast<unsigned>(down),
                          static_cast<unsigned>(out.depth));
        window_in_registers<<<blocks, dim3(32, window::warps), 0, on.stream>>>(
            rule, edge, has_aligned_groups(in, window::group), has_aligned_groups(out, window::group), out,
            in);
        on.launched("window");
        return;
      }
    }
  }
  const pixel_tiles tiles(out, 1);
  window_pixels<<<tiles.blocks(on), tiles.threads, 0, on.stream>>>(tiles, rule, edge, out, in);
  on.launched("window");
}

}  // namespace macareu::cuda

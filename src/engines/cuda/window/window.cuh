// window on the GPU. Pixels away from the border skip border checks. A small window of a wide rule stays in
// registers: a thread takes a few adjacent pixels and walks down their rows, several at once. Each row is
// then read and converted once for all rows of the window, and neighbours share common results.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/lanes.cuh"
#include "engines/cuda/runtime/pixels.cuh"
#include "engines/cuda/tuning.hpp"
#include "patterns/window.hpp"

namespace macareu::cuda {

/// border::fold without its division, for the usual case of a place near the image.
template <class T>
__device__ std::int64_t fold_near(const border<T>& edge, std::int64_t i, std::int64_t size) {
  if (i >= 0 && i < size) return i;
  if (i <= -size || i >= 2 * size - 1) return edge.fold(i, size);
  const std::int64_t beyond = i < 0 ? -i : i - size + 1;  // from 1 on
  if (edge.mode == border_mode::wrap) return i < 0 ? size - beyond : beyond - 1;
  const std::int64_t back = edge.mode == border_mode::nearest  ? 0
                            : edge.mode == border_mode::mirror ? beyond
                                                               : beyond - 1;
  return i < 0 ? back : size - 1 - back;
}

/// Reads `count` values of one row from q on, some of which lie outside the image. Not inlined, because few
/// threads need it.
template <class In, class F>
__device__ __noinline__ void read_over_border(const view<const In>& in, const border<F>& edge, site q,
                                              int count, F* to) {
  const bool constant = edge.mode == border_mode::constant;
  const bool outside = q.z < 0 || q.z >= in.depth || q.y < 0 || q.y >= in.height;
  const In* row = nullptr;
  if (!(constant && outside)) row = in.at(fold_near(edge, q.z, in.depth), fold_near(edge, q.y, in.height));
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const std::int64_t x = q.x + i;
    to[i] = constant && (outside || x < 0 || x >= in.width)
                ? edge.outside
                : static_cast<F>(row[fold_near(edge, x, in.width) * in.step_x]);
  }
}

/// Pixel access of a rule whose whole window is inside the image.
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

/// The work of one thread for a window in registers.
template <class Rule, class Out, class In>
struct register_window {
  using value = typename Rule::value;
  static constexpr window_radius radius = Rule::radius();
  static constexpr int lines = 2 * radius.y + 1, slices = 2 * radius.z + 1;
  static constexpr int places = lines * slices * (2 * radius.x + 1);
  static constexpr bool small = places <= tuning::small_window_places;
  static constexpr int group = small ? group_of<Out, In, value>(tuning::small_window_columns) : 1;
  static constexpr int columns = group + 2 * radius.x;
  static constexpr bool few = group <= tuning::few_window_columns;
  static constexpr int rows_at_once = !small ? 1
                                      : few  ? tuning::rows_of_few_columns
                                             : tuning::rows_of_more_columns;
  static constexpr int kept = lines - 1 + rows_at_once;
  static constexpr int rows_down = tuning::window_rows;  // of a thread
  static constexpr int warps = tuning::window_warps;     // of a block, one below another
  static constexpr int blocks_held =                     // per multiprocessor
      !small ? 1
      : few  ? tuning::blocks_of_few_columns
             : tuning::blocks_of_more_columns;
  static constexpr auto bound = bound_of_pixels<value, In>();

  value rows[slices][kept][columns];

  /// Reads `Count` rows, the first one at p.y + dy, to `rows` from `line` on.
  template <int Count>
  __device__ void read(const view<const In>& in, const border<In>& edge, bool aligned, site p, int line,
                       int dy) {
    const bool inside = p.x >= radius.x && p.x + group + radius.x <= in.width && p.y + dy >= 0 &&
                        p.y + dy + Count <= in.height && p.z >= radius.z && p.z + radius.z < in.depth;
    const In* const first = &in[{p.z - radius.z, p.y + dy, p.x}];
    const auto for_rows = [&](const auto& take) {
#pragma unroll
      for (int s = 0; s < slices; ++s)
#pragma unroll
        for (int i = 0; i < Count; ++i) take(s, i, first + s * in.step_z + i * in.step_y);
    };
    if (inside && aligned) {
      for_rows([&](int s, int i, const In* row) {
        const auto middle = to_lanes<value>(load_whole<group>(row));
#pragma unroll
        for (int x = 0; x < columns; ++x) {
          const bool beside = x < radius.x || x >= radius.x + group;
          rows[s][line + i][x] =
              beside ? to_value<value>(row[x - radius.x]) : middle.value[beside ? 0 : x - radius.x];
        }
      });
    } else if (inside) {
      for_rows([&](int s, int i, const In* row) {
#pragma unroll
        for (int x = 0; x < columns; ++x)
          rows[s][line + i][x] = to_value<value>(row[(x - radius.x) * in.step_x]);
      });
    } else {
      for_rows([&](int s, int i, const In*) {
        value found[columns];
        read_over_border(in, border<value>{edge.mode, static_cast<value>(edge.outside)},
                         site{p.z + s - radius.z, p.y + dy + i, p.x - radius.x}, columns, found);
#pragma unroll
        for (int x = 0; x < columns; ++x) rows[s][line + i][x] = found[x];
      });
    }
  }

  __device__ void move_down() {
#pragma unroll
    for (int s = 0; s < slices; ++s)
#pragma unroll
      for (int line = 0; line + 1 < lines; ++line)
#pragma unroll
        for (int x = 0; x < columns; ++x) rows[s][line][x] = rows[s][line + rows_at_once][x];
  }
};

/// Pixel access of a rule: the groups around the group of row `row`.
template <class Window>
struct near_registers {
  const Window& window;
  int row;

  __device__ auto operator()(int dz, int dy, int dx) const {
    constexpr auto radius = Window::radius;
    return for_lanes<typename Window::value, Window::group, Window::bound>(
        [&](int i) { return window.rows[dz + radius.z][dy + radius.y + row][dx + radius.x + i]; });
  }
};

template <class Rule, class Out, class In>
__global__ void __launch_bounds__(32 * tuning::window_warps, register_window<Rule, Out, In>::blocks_held)
    window_in_registers(Rule rule, const __grid_constant__ border<In> edge, bool aligned_in, bool aligned_out,
                        const __grid_constant__ view<Out> out, const __grid_constant__ view<const In> in) {
  using window = register_window<Rule, Out, In>;
  constexpr int group = window::group;
  site p{blockIdx.z, (std::int64_t{blockIdx.y} * window::warps + threadIdx.y) * window::rows_down,
         (std::int64_t{blockIdx.x} * 32 + threadIdx.x) * group};
  if (p.x >= out.width || p.y >= out.height) return;
  const bool whole = p.x + group <= out.width;
  const auto end = p.y + window::rows_down < out.height ? p.y + window::rows_down : out.height;
  window read;
  read.template read<window::lines - 1>(in, edge, aligned_in, p, 0, -window::radius.y);
#pragma unroll 1
  for (; p.y < end; p.y += window::rows_at_once) {
    read.template read<window::rows_at_once>(in, edge, aligned_in, p, window::lines - 1, window::radius.y);
    const bool plain = whole && aligned_out && p.y + window::rows_at_once <= end;
    Out* const first = &out[p];
#pragma unroll
    for (int row = 0; row < window::rows_at_once; ++row) {
      const auto result = rule(p, near_registers<window>{read, row});
      pixel_group<Out, group> written;
#pragma unroll
      for (int i = 0; i < group; ++i) written.value[i] = static_cast<Out>(result.value[i]);
      Out* const to = first + row * out.step_y;
      if (plain) {
        store_whole(to, written);
      } else if (p.y + row < end) {
#pragma unroll
        for (int i = 0; i < group; ++i)
          if (p.x + i < out.width) to[i * out.step_x] = written.value[i];
      }
    }
    read.move_down();
  }
}

template <class Rule, class Out, class In>
void run_window(const gpu& on, const Rule& rule, const border<In>& edge, const view<Out>& out,
                const view<const In>& in) {
  constexpr std::int64_t most_slices = 65535, most_down = 65535;
  if constexpr (is_wide<Rule>) {
    using window = register_window<Rule, Out, In>;
    const auto across = ceil_div(out.width, 32 * window::group);
    const auto down = ceil_div(out.height, window::warps * window::rows_down);
    // Narrow images would leave most of a warp idle.
    if (window::places <= tuning::most_register_places && out.depth <= most_slices && down <= most_down &&
        out.width >= 32) {
      if constexpr (window::places <= tuning::most_register_places) {
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

// Converts pixels to bits. Later kernels do not depend on rules and pixel types.
#pragma once

#include <algorithm>

#include "core/ceil_div.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cuda/component/launch.cuh"
#include "engines/cuda/component/tile_shape.cuh"
#include "engines/cuda/runtime/pixels.cuh"
#include "engines/cuda/tuning.hpp"
#include "patterns/component.hpp"

namespace macareu::cuda::labels {

/// Pixels of one thread.
constexpr int piece = 16;

template <class T>
using loaded_group = pixel_group<T, group_of<T>(piece)>;

/// Groups of a piece.
template <class T>
constexpr int groups = piece / group_of<T>(piece);

template <class Rule, class T>
__device__ std::uint32_t set_bits(const Rule& rule, const loaded_group<T> (&loaded)[groups<T>]) {
  constexpr int size = group_of<T>(piece);
  std::uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < piece; ++i)
    bits |= static_cast<std::uint32_t>(rule.inside(loaded[i / size].value[i % size])) << i;
  return bits;
}

template <class Rule, class T>
__device__ std::uint32_t set_bits(const Rule& rule, const view<const T>& image, site p, int pixels,
                                  bool aligned) {
  std::uint32_t bits = 0;
  if (pixels < piece) {
#pragma unroll 1
    for (int i = 0; i < pixels; ++i)
      bits |= static_cast<std::uint32_t>(rule.inside(image[{p.z, p.y, p.x + i}])) << i;
    return bits;
  }
  loaded_group<T> loaded[groups<T>];
#pragma unroll
  for (int j = 0; j < groups<T>; ++j)
    loaded[j] = load_group<group_of<T>(piece)>(image, site{p.z, p.y, p.x + j * group_of<T>(piece)}, aligned);
  return set_bits<Rule, T>(rule, loaded);
}

using tuning::plane_threads;

/// Pieces per thread.
template <class T>
constexpr int pieces_at_once = std::max(1, tuning::byte_pieces_at_once / static_cast<int>(sizeof(T)));

/// `flat`: pieces are contiguous in memory, so no positions are computed. All loads are issued before the
/// first use.
enum class row_layout { any, aligned, flat };

template <class T>
row_layout layout_of(const view<const T>& image) {
  if (!has_aligned_groups(image, group_of<T>(piece))) return row_layout::any;
  const bool flat = image.width % 64 == 0 && (image.height == 1 || image.step_y == image.width) &&
                    (image.depth == 1 || image.step_z == image.height * image.width);
  return flat ? row_layout::flat : row_layout::aligned;
}

/// One class: the set pixels suffice.
template <class Rule, class T>
__global__ __launch_bounds__(plane_threads) void write_set_pixels(tile_grid grid, row_layout layout,
                                                                  Rule rule, view<const T> image,
                                                                  std::uint16_t* pieces) {
  follow();
  constexpr std::uint32_t per_word = 64 / piece;
  constexpr int turns = pieces_at_once<T>;
  const auto count = std::uint64_t{grid.words} * per_word;
  const auto block = static_cast<std::uint64_t>(blockIdx.x) * (plane_threads * turns),
             first = block + threadIdx.x;
  if (layout == row_layout::flat && block + plane_threads * turns <= count) {
    const auto* const all = reinterpret_cast<const loaded_group<T>*>(image.data);
    loaded_group<T> loaded[turns][groups<T>];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
#pragma unroll
      for (int j = 0; j < groups<T>; ++j)
        loaded[turn][j] = all[(first + turn * plane_threads) * groups<T> + j];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      pieces[first + turn * plane_threads] =
          static_cast<std::uint16_t>(set_bits<Rule, T>(rule, loaded[turn]));
    return;
  }
#pragma unroll 1
  for (auto i = first; i < count && i < block + plane_threads * turns; i += plane_threads) {
    const auto word = static_cast<std::uint32_t>(i / per_word), row = word / grid.across;
    const std::int64_t x =
        std::int64_t{word - row * grid.across} * 64 + static_cast<int>(i % per_word) * piece;
    const auto z = static_cast<std::int64_t>(row / grid.height);
    const auto left = grid.width - x;
    const int pixels = left < piece ? (left > 0 ? static_cast<int>(left) : 0) : piece;
    pieces[i] = static_cast<std::uint16_t>(
        set_bits(rule, image, site{z, row - z * grid.height, x}, pixels, layout != row_layout::any));
  }
}

/// Several classes: a warp takes half a word, and each lane computes the links of its pixel.
template <class Shape, class Rule, class T>
__global__ void write_class_planes(tile_grid grid, neighbourhood near, Rule rule, view<const T> image,
                                   std::uint32_t* halves) {
  follow();
  const auto half = (static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (half >= std::uint64_t{grid.words} * 2) return;
  const auto row = static_cast<std::uint32_t>(half / 2) / grid.across;
  const auto z = static_cast<std::int64_t>(row / grid.height);
  const site p{z, row - z * grid.height,
               (static_cast<std::int64_t>(half) - 2 * std::int64_t{row} * grid.across) * 32 + lane};
  const bool set = p.x < grid.width && rule.inside(image[p]);
  const auto own = set ? image[p] : T{};
  std::uint32_t mine = 0;  // of the plane with the lane's number
  const auto write = [&](int plane, bool bit) {
    const auto bits = __ballot_sync(~0u, bit);
    if (lane == plane) mine = bits;
  };
  const auto joins = [&](int dz, int dy, int dx) {
    const site q{p.z + dz, p.y + dy, p.x + dx};
    return set && near.contains(dz, dy, dx) && image.contains(q) && joined(rule, own, image[q]);
  };
  write(set_plane, set);
  write(run_plane, joins(0, 0, -1));
#pragma unroll
  for (int o = 0; o < Shape::offsets; ++o)
#pragma unroll
    for (int dx = 0; dx < 3; ++dx)
      write(first_link_plane + 3 * o + dx, joins(Shape::dz(o), Shape::dy(o), dx == 2 ? 1 : -dx));
  if (lane < Shape::planes) halves[static_cast<std::uint64_t>(lane) * grid.words * 2 + half] = mine;
}

template <class Shape, class Rule, class T>
void write_planes(const gpu& on, const tile_grid& grid, const neighbourhood& near, const Rule& rule,
                  const view<const T>& image, std::uint64_t* planes) {
  const auto blocks = [](std::uint64_t threads) {
    return static_cast<std::uint32_t>(ceil_div(threads, plane_threads));
  };
  // Waits for all work in the stream: only kernels of this pattern support an early start.
  if constexpr (Shape::classes) {
    launch(on, start::after_all, "label: classes to bits", write_class_planes<Shape, Rule, T>,
           blocks(std::uint64_t{grid.words} * 64), plane_threads, grid, near, rule, image,
           reinterpret_cast<std::uint32_t*>(planes));
  } else {
    const auto pieces = std::uint64_t{grid.words} * (64 / piece);
    launch(on, start::after_all, "label: pixels to bits", write_set_pixels<Rule, T>,
           blocks(ceil_div(pieces, pieces_at_once<T>)), plane_threads, grid, layout_of(image), rule, image,
           reinterpret_cast<std::uint16_t*>(planes));
  }
}

}  // namespace macareu::cuda::labels

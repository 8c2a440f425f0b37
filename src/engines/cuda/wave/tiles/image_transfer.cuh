// Transfers of a 2-D tile between device memory and a warp's shared memory. They use vectors of 16 bytes
// where the tile is whole and rows are aligned, else single pixels. Keys outside the image are 0: nothing
// rises there.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "core/view.hpp"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/problem.cuh"
#include "engines/cuda/wave/tiles/image_tile.cuh"
#include "engines/cuda/wave/tiles/tile_survey.cuh"

namespace macareu::cuda::tiles {

template <class T>
bool in_vectors(const view<T>& image) {
  return image.step_x == 1 && reinterpret_cast<std::uintptr_t>(image.data) % 16 == 0 &&
         image.step_y * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
}

/// Where a tile lies in its image.
struct tile_place {
  std::int64_t y, x;
};

template <class Key>
struct vector_layout {
  using keys = lane_keys<Key>;
  static constexpr int vectors = keys::side * static_cast<int>(sizeof(Key)) / 16;  // of a row
  static constexpr int per_vector = 16 / static_cast<int>(sizeof(Key));
  static constexpr int steps = vectors;  // 32 rows, or pairs of rows, 32 / vectors at a time
  static __device__ int unit(int step, int lane) { return step * (32 / vectors) + lane / vectors; }
  static __device__ int column(int lane) { return lane % vectors; }
};

/// A lane's part of a tile in registers.
template <class Key>
struct tile_vectors {
  uint4 part[vector_layout<Key>::steps][lane_keys<Key>::per_cell];
};

/// Read only while the kernel runs.
struct constant_pixels {
  static __device__ uint4 load(const uint4* from) {
    uint4 r;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
                 : "l"(from));
    return r;
  }
};
/// Written by other multiprocessors while the kernel runs.
struct changing_pixels {
  static __device__ uint4 load(const uint4* from) { return __ldcg(from); }
};

template <class Pixels, row_pairs Pairs, class Key>
__device__ __forceinline__ void load_vectors(const view<const Key>& image, const tile_place& at, int lane,
                                             tile_vectors<Key>& to) {
  using layout = vector_layout<Key>;
  constexpr int rows = lane_keys<Key>::per_cell;
  const Key* origin = image.data + at.y * image.step_y + at.x + layout::column(lane) * layout::per_vector;
#pragma unroll
  for (int s = 0; s < layout::steps; ++s)
#pragma unroll
    for (int r = 0; r < rows; ++r)
      to.part[s][r] = Pixels::load(reinterpret_cast<const uint4*>(
          origin + row_of<Pairs, lane_keys<Key>>(layout::unit(s, lane), r) * image.step_y));
}

/// Conversion between cells of 2 x 2 bytes and four bytes of each of two rows.
__device__ __forceinline__ std::uint32_t low_cell(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x5410);
}
__device__ __forceinline__ std::uint32_t high_cell(std::uint32_t a, std::uint32_t b) {
  return __byte_perm(a, b, 0x7632);
}

template <class Key>
__device__ __forceinline__ uint4 mapped_keys(uint4 v, const key_map<Key>& map) {
  if constexpr (sizeof(Key) <= 2) {  // no floats of these sizes
    const std::uint32_t flip = map.flip * (sizeof(Key) == 1 ? 0x01010101u : 0x00010001u);
    return {v.x ^ flip, v.y ^ flip, v.z ^ flip, v.w ^ flip};
  } else if constexpr (sizeof(Key) == 4) {
    return {map.key(v.x), map.key(v.y), map.key(v.z), map.key(v.w)};
  } else {
    const Key a = map.key(v.x | static_cast<Key>(v.y) << 32), b = map.key(v.z | static_cast<Key>(v.w) << 32);
    return {static_cast<unsigned>(a), static_cast<unsigned>(a >> 32), static_cast<unsigned>(b),
            static_cast<unsigned>(b >> 32)};
  }
}

template <class Key>
__device__ __forceinline__ uint4 mapped_bits(uint4 v, const key_map<Key>& map) {
  if constexpr (sizeof(Key) <= 2) {
    return mapped_keys(v, map);
  } else if constexpr (sizeof(Key) == 4) {
    return {map.bits(v.x), map.bits(v.y), map.bits(v.z), map.bits(v.w)};
  } else {
    const Key a = map.bits(v.x | static_cast<Key>(v.y) << 32),
              b = map.bits(v.z | static_cast<Key>(v.w) << 32);
    return {static_cast<unsigned>(a), static_cast<unsigned>(a >> 32), static_cast<unsigned>(b),
            static_cast<unsigned>(b >> 32)};
  }
}

/// A lane's cells of one step, from 16 bytes of two rows (wide keys: of one row).
template <class Key>
__device__ __forceinline__ void cells_of(const uint4& a, const uint4& b, int first,
                                         typename lane_keys<Key>::cell* to) {
  if constexpr (sizeof(Key) == 1) {
    auto* quads = reinterpret_cast<uint4*>(to + first);
    quads[0] = {low_cell(a.x, b.x), high_cell(a.x, b.x), low_cell(a.y, b.y), high_cell(a.y, b.y)};
    quads[1] = {low_cell(a.z, b.z), high_cell(a.z, b.z), low_cell(a.w, b.w), high_cell(a.w, b.w)};
  } else if constexpr (sizeof(Key) == 2) {
    to[first] = {a.x, b.x}, to[first + 1] = {a.y, b.y}, to[first + 2] = {a.z, b.z},
    to[first + 3] = {a.w, b.w};
  } else if constexpr (sizeof(Key) == 4) {
    to[first] = a.x, to[first + 1] = a.y, to[first + 2] = a.z, to[first + 3] = a.w;
  } else {
    to[first] = a.x | static_cast<Key>(a.y) << 32, to[first + 1] = a.z | static_cast<Key>(a.w) << 32;
  }
}

template <class Key>
__device__ __forceinline__ void rows_of(const typename lane_keys<Key>::cell* from, int first, uint4& a,
                                        uint4& b) {
  if constexpr (sizeof(Key) == 1) {
    const auto* quads = reinterpret_cast<const uint4*>(from + first);
    const uint4 l = quads[0], r = quads[1];
    a = {low_cell(l.x, l.y), low_cell(l.z, l.w), low_cell(r.x, r.y), low_cell(r.z, r.w)};
    b = {high_cell(l.x, l.y), high_cell(l.z, l.w), high_cell(r.x, r.y), high_cell(r.z, r.w)};
  } else if constexpr (sizeof(Key) == 2) {
    a = {from[first].x, from[first + 1].x, from[first + 2].x, from[first + 3].x};
    b = {from[first].y, from[first + 1].y, from[first + 2].y, from[first + 3].y};
  } else if constexpr (sizeof(Key) == 4) {
    a = {from[first], from[first + 1], from[first + 2], from[first + 3]};
  } else {
    const Key u = from[first], v = from[first + 1];
    a = {static_cast<unsigned>(u), static_cast<unsigned>(u >> 32), static_cast<unsigned>(v),
         static_cast<unsigned>(v >> 32)};
  }
}

template <class Key>
constexpr int cells_per_vector = vector_layout<Key>::per_vector / lane_keys<Key>::per_cell;

template <class Key>
__device__ __forceinline__ void map_vectors(tile_vectors<Key>& vectors, const key_map<Key>& map) {
  for (auto& rows : vectors.part)
    for (uint4& row : rows) row = mapped_keys(row, map);
}

/// Surveys vectors of keys.
template <class Key>
__device__ __forceinline__ tile_survey<Key> survey_vectors(const tile_vectors<Key>& state,
                                                           const tile_vectors<Key>& capacity,
                                                           const key_map<Key>& map) {
  const auto first = [](const tile_vectors<Key>& of) {
    const auto& some = of.part[0][0];
    Key key = static_cast<Key>(some.x);
    if constexpr (sizeof(Key) == 8) key |= static_cast<Key>(some.y) << 32;
    return static_cast<Key>(__shfl_sync(all_lanes, key, 0));
  };
  tile_survey<Key> found(map, first(state), first(capacity));
  // First one row of every cell, then the other, which may lie far from it.
#pragma unroll
  for (int r = 0; r < lane_keys<Key>::per_cell; ++r)
#pragma unroll
    for (int s = 0; s < vector_layout<Key>::steps; ++s) found.add(state.part[s][r], capacity.part[s][r]);
  return found;
}

/// Stores vectors of keys in shared memory.
template <class Key>
__device__ __forceinline__ void place_vectors(const tile_vectors<Key>& from, int lane,
                                              typename lane_keys<Key>::cell* to) {
  using layout = vector_layout<Key>;
#pragma unroll
  for (int s = 0; s < layout::steps; ++s)
    cells_of<Key>(
        from.part[s][0], from.part[s][lane_keys<Key>::per_cell - 1],
        layout::unit(s, lane) * lane_keys<Key>::pitch + layout::column(lane) * cells_per_vector<Key>, to);
}

template <class Key, row_pairs Pairs>
__device__ __forceinline__ void store_vectors(const typename lane_keys<Key>::cell* from,
                                              const key_map<Key>& map, const view<Key>& image,
                                              const tile_place& at, int lane) {
  using layout = vector_layout<Key>;
  constexpr int rows = lane_keys<Key>::per_cell;
  Key* origin = image.data + at.y * image.step_y + at.x + layout::column(lane) * layout::per_vector;
#pragma unroll
  for (int s = 0; s < layout::steps; ++s) {
    uint4 part[2];
    const int unit = layout::unit(s, lane);
    rows_of<Key>(from, unit * lane_keys<Key>::pitch + layout::column(lane) * cells_per_vector<Key>, part[0],
                 part[1]);
#pragma unroll
    for (int r = 0; r < rows; ++r)
      *reinterpret_cast<uint4*>(origin + row_of<Pairs, lane_keys<Key>>(unit, r) * image.step_y) =
          mapped_bits(part[r], map);
  }
}

/// A lane's pixels of a tile without whole vectors: rows are unaligned, or the image ends inside the tile.
template <class Key>
struct lane_pixels {
  using keys = lane_keys<Key>;
  static constexpr int across = keys::per_cell;
  static constexpr int cells_at_once = tuning::unaligned_pixels_at_once / across;
  int rows, columns;  // that lie in the image

  template <class T>
  __device__ lane_pixels(const view<T>& image, const tile_place& at, int lane)
      : rows(static_cast<int>(min(image.height - at.y, std::int64_t{keys::side}))),
        columns(static_cast<int>(min(image.width - at.x, std::int64_t{keys::side})) - lane * across) {}
  __device__ bool holds(int row, int column) const { return row < rows && column < columns; }
  template <class T>
  static __device__ T* first(const view<T>& image, const tile_place& at, int lane) {
    return image.data + at.y * image.step_y + (at.x + lane * across) * image.step_x;
  }
};

/// Loads both images together for the survey, which samples places as far apart as those of vectors.
template <row_pairs Pairs, class Key>
__device__ __noinline__ tile_survey<Key> load_pixels(const view<const Key>& states,
                                                     const view<const Key>& capacities,
                                                     const key_map<Key>& map, const tile_place& at, int lane,
                                                     typename lane_keys<Key>::cell* to_state,
                                                     typename lane_keys<Key>::cell* to_capacity) {
  using keys = lane_keys<Key>;
  using pixels = lane_pixels<Key>;
  constexpr int n = keys::per_cell, cells = pixels::cells_at_once;
  const pixels mine(states, at, lane);
  const Key *const first_state = pixels::first(states, at, lane), *const first_capacity =
                                                                      pixels::first(capacities, at, lane);
  Key state[cells][n][n], capacity[cells][n][n];
  const auto each = [&](int begin, auto&& visit) {
#pragma unroll
    for (int i = 0; i < cells; ++i)
#pragma unroll
      for (int y = 0; y < n; ++y)
#pragma unroll
        for (int x = 0; x < n; ++x) {
          const int row = row_of<Pairs, keys>(begin + i, y);
          visit(state[i][y][x], capacity[i][y][x], row, x, mine.holds(row, x));
        }
  };
  const auto ask_for = [&](int begin) {
    each(begin, [&](Key& s, Key& c, int row, int x, bool inside) {
      s = inside ? __ldcg(first_state + row * states.step_y + x * states.step_x) : Key{0};
      c = inside ? first_capacity[row * capacities.step_y + x * capacities.step_x] : Key{0};
    });
  };
  ask_for(0);
  tile_survey<Key> found(map, map.key(__shfl_sync(all_lanes, state[0][0][0], 0)),
                         map.key(__shfl_sync(all_lanes, capacity[0][0][0], 0)));
  for (int begin = 0; begin < 32; begin += cells) {
    if (begin) ask_for(begin);
    each(begin, [&](Key& s, Key& c, int, int, bool inside) {
      if (!inside) return;
      s = map.key(s), c = map.key(c);
      found.add(s, c);
    });
#pragma unroll
    for (int i = 0; i < cells; ++i) {
      const int cell = begin + i;
      to_state[cell * keys::pitch + lane] = keys::make(state[i]);
      to_capacity[cell * keys::pitch + lane] = keys::make(capacity[i]);
    }
  }
  return found;
}

template <class Key, row_pairs Pairs>
__device__ __noinline__ void store_pixels(const typename lane_keys<Key>::cell* from, const key_map<Key>& map,
                                          const view<Key>& image, const tile_place& at, int lane) {
  using keys = lane_keys<Key>;
  using pixels = lane_pixels<Key>;
  constexpr int n = keys::per_cell;
  const pixels mine(image, at, lane);
  Key* const first = pixels::first(image, at, lane);
#pragma unroll(pixels::cells_at_once)
  for (int cell = 0; cell < 32; ++cell)
#pragma unroll
    for (int y = 0; y < n; ++y)
#pragma unroll
      for (int x = 0; x < n; ++x) {
        const int row = row_of<Pairs, keys>(cell, y);
        if (mine.holds(row, x))
          first[row * image.step_y + x * image.step_x] =
              map.bits(keys::at(from[cell * keys::pitch + lane], y, x));
      }
}

}  // namespace macareu::cuda::tiles

// Parents, and the labels at their ends. Paths are shortened inside tiles first. A path that leaves a tile
// ends in the ring of pixels around it, each of which is a rim pixel of another tile. Then paths from rim
// pixel to rim pixel are shortened, and pixels whose path leaves their tile read the label there.
#pragma once

#include "core/ceil_div.hpp"
#include "core/view.hpp"
#include "engines/cuda/basins/world.cuh"
#include "engines/cuda/runtime/dependent_launch.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/tiles/relaxed.cuh"

namespace macareu::cuda::tile_basins {

using tuning::parent_threads;
inline constexpr int parent_rows = side * side / parent_threads;
inline constexpr int ring_pitch = side + 2, ring_cells = ring_pitch * ring_pitch;

/// Where the pointer of the parent's cell lies, in bytes, so that a step of a path is one load. Ends of paths
/// point to themselves until all paths are short; then those beyond the tile are marked.
using pointer = std::uint16_t;
inline constexpr pointer beyond_tile = 0xffff;

struct parent_memory {
  std::uint32_t t[ring_cells];  // (L, d); or L, then d; then what the ends of paths lead to
  pointer parent[ring_cells];
};

/// The place of a rim pixel. Pixels of first and last rows are found there, not in columns.
__device__ inline std::uint32_t rim_place(std::uint32_t tile, int y, int x) {
  return tile * rim_places + (y == 0          ? top * side + x
                              : y == side - 1 ? bottom * side + x
                              : x == 0        ? left * side + y
                                              : right * side + y);
}

/// Bits of pixels of one row of a tile: those of this thread's half of it.
__device__ inline std::uint32_t half_row(const word* rows, int y, int x) {
  return reinterpret_cast<const std::uint32_t*>(rows)[2 * y + (x >> 5)];
}

/// The tile of a cell of the ring, and the pixel there.
struct ring_cell {
  int y, x;  // in the ring: -1 to 64
  std::uint32_t tile;
  __device__ ring_cell(const world& all, std::uint32_t own, int i) {
    const int along = i % ring_pitch - 1;
    y = i < ring_pitch ? -1 : i < 2 * ring_pitch ? side : along;
    x = i < 2 * ring_pitch ? along : i < 3 * ring_pitch ? -1 : side;
    const auto column = static_cast<int>(own % all.across) + (x < 0 ? -1 : x == side);
    const auto row = static_cast<int>(own / all.across) + (y < 0 ? -1 : y == side);
    const bool there = column >= 0 && column < static_cast<int>(all.across) && row >= 0 &&
                       row * static_cast<std::int64_t>(all.across) + column < all.tiles;
    tile =
        there ? static_cast<std::uint32_t>(row) * all.across + static_cast<std::uint32_t>(column) : all.tiles;
  }
  __device__ int index() const { return (y + 1) * ring_pitch + x + 1; }
  __device__ std::uint32_t place() const { return rim_place(tile, y & (side - 1), x & (side - 1)); }
};
inline constexpr int ring_places = 4 * ring_pitch;  // corners twice
inline constexpr int ring_parts = ceil_div(ring_places, parent_threads);

/// The 32 x 32 bits of a warp's words, transposed: bit r of lane c was bit c of lane r.
__device__ inline std::uint32_t transposed(std::uint32_t word) {
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t low = 0x0000ffff;  // places with a 0 where the lane has `step`
#pragma unroll
  for (unsigned step = 16; step > 0; step /= 2, low ^= low << step) {
    const auto other = __shfl_xor_sync(all_lanes, word, step);
    const bool high = lane & step;
    const auto keep = high ? ~low : low;
    word = (word & keep) | ((high ? other >> step : other << step) & ~keep);
  }
  return word;
}

/// A thread has some rows of one column of a tile.
template <class Key>
class parent_finder {
 public:
  __device__ parent_finder(const world& all, const Key* levels, std::int64_t pitch, parent_memory& m)
      : all_(all),
        levels_(levels),
        pitch_(pitch),
        no_diagonal_(all.diagonals ? 0 : never),
        m_(m),
        tile_(blockIdx.x),
        x_(static_cast<int>(threadIdx.x) % side),
        first_(static_cast<int>(threadIdx.x) / side * parent_rows),
        X_(std::int64_t{tile_ % all.across} * side),
        Y_(std::int64_t{tile_ / all.across} * side) {}

  __device__ void find(const view<std::uint32_t>& labels, const view<const std::uint32_t>& seeds) {
    load_ring();
    const auto used = all_.step_bits[tile_];
    bool far = true;
    if constexpr (sizeof(Key) <= 2) {
      const auto is_far = [](std::uint32_t d) { return d != never && d >= too_far; };
      bool ring_is_far = false;
#pragma unroll
      for (int part = 0; part < ring_parts; ++part) ring_is_far = ring_is_far || is_far(ring_d_[part]);
      far = __syncthreads_or(used >= too_far || ring_is_far);
    }
    if (far)
      find_parents<true>(used);
    else if constexpr (sizeof(Key) <= 2)
      find_parents<false>(used);
    jump();
    write(labels, seeds);
  }

 private:
  static constexpr int d_bits = sizeof(Key) <= 2 ? 32 - 8 * static_cast<int>(sizeof(Key)) : 31;
  /// d below it fits one word with L and a direction, and is not the highest there.
  static constexpr std::uint32_t too_far = 1u << (d_bits - 4);

  __device__ int cell(int k) const { return (first_ + k + 1) * ring_pitch + x_ + 1; }
  __device__ bool is_whole() const { return Y_ + side <= all_.height && X_ + side <= all_.width; }
  __device__ bool is_end(int k) const { return (seeded_ | none_) >> k & 1; }
  __device__ bool is_pixel(int k) const { return Y_ + first_ + k < all_.height && X_ + x_ < all_.width; }

  /// visit(cell, part) for the cells of the ring that are this thread's.
  template <class Visit>
  __device__ void for_ring(Visit&& visit) const {
#pragma unroll
    for (int part = 0; part < ring_parts; ++part) {
      const int i = static_cast<int>(threadIdx.x) + part * parent_threads;
      if (i < ring_places) visit(ring_cell(all_, tile_, i), part);
    }
  }

  __device__ void load_ring() {
#pragma unroll
    for (auto& d : ring_d_) d = never;
    for_ring([&](const ring_cell& at, int part) {
      if (at.tile == all_.tiles) return;
      const int y = at.y & (side - 1), x = at.x & (side - 1);
      auto d = all_.rims[at.place()];
      if (d == never && all_.seeded[std::int64_t{at.tile} * side + y] >> x & 1) d = 0;
      ring_d_[part] = d;
      if (d != never) ring_level_[part] = levels_[(Y_ + at.y) * pitch_ + X_ + at.x];
    });
  }

  /// Bits of planes in this thread's column: its rows of the first, then of the next, and so on.
  static constexpr int planes_at_once = 32 / parent_rows;
  static constexpr std::uint32_t plane_bits = (1u << parent_rows) - 1;
  template <class Plane>
  __device__ std::uint32_t column_of(Plane&& plane) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const word* const rows = plane(lane / parent_rows);
    return transposed(rows ? half_row(rows, first_ + lane % parent_rows, x_) : 0);
  }

  /// Bits of the rows with d. Also finds the ends of paths, and pixels without a time, which are ends too.
  __device__ std::uint32_t read_known() {
    const std::int64_t rows = std::int64_t{tile_} * side;
    const auto known = column_of([&](int i) {
      return i == 0 ? all_.reached + rows : i == 1 ? all_.seeded + rows : nullptr;
    });
    const auto reached = known & plane_bits;
    seeded_ = known >> parent_rows & plane_bits;
    none_ = ~(reached | seeded_) & plane_bits;
    return reached;
  }
  __device__ void read_levels(std::uint32_t* level) const {
    const Key* from = levels_ + (Y_ + first_) * pitch_ + X_ + x_;
    const bool whole = is_whole();
#pragma unroll
    for (int k = 0; k < parent_rows; ++k, from += pitch_)
      level[k] = !whole && none_ >> k & 1 ? Key{0} : *from;
  }
  __device__ void read_d(std::uint32_t used, std::uint32_t reached, std::uint32_t* d) const {
#pragma unroll
    for (int k = 0; k < parent_rows; ++k) d[k] = 0;
    const int bits_used = 32 - __clz(static_cast<int>(used));
    for (int j = (bits_used - 1) / planes_at_once * planes_at_once; used && j >= 0; j -= planes_at_once) {
      const auto bits =
          column_of([&](int i) { return used >> (j + i) & 1 ? all_.steps_of(tile_, j + i) : nullptr; });
#pragma unroll
      for (int k = 0; k < parent_rows; ++k)
#pragma unroll
        for (int i = planes_at_once - 1; i >= 0; --i) d[k] = d[k] << 1 | (bits >> (i * parent_rows + k) & 1);
    }
#pragma unroll
    for (int k = 0; k < parent_rows; ++k)
      if (!(reached >> k & 1)) d[k] = 0;
  }

  /// own(row) and ring(part) to shared memory; `never` for pixels without a time. The last three bits are
  /// free for directions.
  template <class Own, class Ring>
  __device__ void put(Own&& own, Ring&& ring) {
#pragma unroll
    for (int k = 0; k < parent_rows; ++k) m_.t[cell(k)] = none_ >> k & 1 ? never : own(k);
    for_ring([&](const ring_cell& at, int part) {
      m_.t[at.index()] = ring_d_[part] == never ? never : ring(part);
    });
    __syncthreads();
  }

  /// visit(row, values around the thread's pixel, in the order of ties)
  template <class Visit>
  __device__ void over_pixels(Visit&& visit) {
    struct three {
      std::uint32_t at[3];
    };
    const auto row = [&](int at) { return three{m_.t[at - 1], m_.t[at], m_.t[at + 1]}; };
    three a = row(cell(-1)), b = row(cell(0));
#pragma unroll
    for (int k = 0; k < parent_rows; ++k) {
      const three c = row(cell(k) + ring_pitch);
      const std::uint32_t around[directions] = {a.at[1], b.at[0], b.at[2], c.at[1],
                                                a.at[0], a.at[2], c.at[0], c.at[2]};
      visit(k, around);
      a = b, b = c;
    }
  }
  static __device__ std::uint32_t least(const std::uint32_t (&of)[directions]) {
    return __vimin3_u32(__vimin3_u32(of[0], of[1], of[2]), __vimin3_u32(of[3], of[4], of[5]),
                        min(of[6], of[7]));
  }

  template <bool Apart>
  __device__ void find_parents(std::uint32_t used) {
    const auto reached = read_known();
    std::uint32_t level[parent_rows], d[parent_rows];
    read_levels(level);
    const auto choose = [&](int k, const std::uint32_t(&times)[directions]) {
      const int at = cell(k);
      const auto parent = is_end(k) ? at : at + offset(least(times) & 7);
      at_[k] = static_cast<pointer>(parent * static_cast<int>(sizeof(pointer)));
      m_.parent[at] = at_[k];
    };
    const auto off = [&](int i) { return i < 4 ? 0 : no_diagonal_; };
    if constexpr (Apart) {
      // First the neighbours of the least L, a bit each, then of these the least d.
      std::uint32_t lowest[parent_rows / 4] = {};
      put([&](int k) { return level[k]; }, [&](int part) { return ring_level_[part]; });
      over_pixels([&](int k, const std::uint32_t(&levels)[directions]) {
        std::uint32_t seen[directions], bits = 0;
#pragma unroll
        for (int i = 0; i < directions; ++i) seen[i] = levels[i] | off(i);
        const auto low = least(seen);
#pragma unroll
        for (int i = 0; i < directions; ++i) bits |= (levels[i] == low ? 1u : 0u) << i;
        lowest[k / 4] |= bits << k % 4 * 8;
      });
      __syncthreads();
      read_d(used, reached, d);
      put([&](int k) { return d[k] << 3; }, [&](int part) { return ring_d_[part] << 3; });
      over_pixels([&](int k, const std::uint32_t(&around)[directions]) {
        std::uint32_t times[directions];
#pragma unroll
        for (int i = 0; i < directions; ++i)
          times[i] =
              lowest[k / 4] >> (k % 4 * 8 + i) & 1 ? around[i] | static_cast<unsigned>(i) | off(i) : never;
        choose(k, times);
      });
    } else {
      read_d(used, reached, d);
      put([&](int k) { return level[k] << d_bits | d[k] << 3; },
          [&](int part) { return std::uint32_t{ring_level_[part]} << d_bits | ring_d_[part] << 3; });
      over_pixels([&](int k, const std::uint32_t(&around)[directions]) {
        std::uint32_t times[directions];
#pragma unroll
        for (int i = 0; i < directions; ++i) times[i] = around[i] | static_cast<unsigned>(i) | off(i);
        choose(k, times);
      });
    }
    for_ring([&](const ring_cell& at, int) {
      m_.parent[at.index()] = static_cast<pointer>(at.index() * static_cast<int>(sizeof(pointer)));
    });
    __syncthreads();
  }

  /// From a cell to its neighbour.
  static __device__ int offset(std::uint32_t direction) {
    constexpr auto bytes = [](int a, int b, int c, int d) {
      return (static_cast<unsigned>(a) & 255) | (static_cast<unsigned>(b) & 255) << 8 |
             (static_cast<unsigned>(c) & 255) << 16 | (static_cast<unsigned>(d) & 255) << 24;
    };
    constexpr int p = ring_pitch;
    constexpr unsigned faces = bytes(-p, -1, 1, p), corners = bytes(-p - 1, -p + 1, p - 1, p + 1);
    return static_cast<signed char>(__byte_perm(faces, corners, direction));
  }

  __device__ pointer& pointer_at(pointer place) {
    return *reinterpret_cast<pointer*>(reinterpret_cast<unsigned char*>(m_.parent) + place);
  }

  /// Every round multiplies the length of jumps. A path has ended if the last of them led nowhere.
  __device__ void jump() {
    constexpr int hops = tuning::path_steps_at_once;
    for (bool more = true; more;) {
      bool open = false;
#pragma unroll
      for (int hop = 0; hop < hops; ++hop)
#pragma unroll
        for (int k = 0; k < parent_rows; ++k) {
          const auto next = pointer_at(at_[k]);
          if (hop == hops - 1) open = open || next != at_[k];
          at_[k] = next;
        }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < parent_rows; ++k) m_.parent[cell(k)] = at_[k];
      more = __syncthreads_or(open);
    }
  }

  __device__ void write(const view<std::uint32_t>& labels, const view<const std::uint32_t>& seeds) {
    std::uint32_t* const value = m_.t;
    const std::uint32_t* seed = &seeds[{0, Y_ + first_, X_ + x_}];
#pragma unroll
    for (int k = 0; k < parent_rows; ++k, seed += seeds.step_y)
      if (is_end(k)) value[cell(k)] = seeded_ >> k & 1 ? *seed : 0;
    for_ring([&](const ring_cell& at, int) {
      value[at.index()] = at.place();
      m_.parent[at.index()] = beyond_tile;
    });
    __syncthreads();
    const auto value_at = [&](pointer end) { return value[end / sizeof(pointer)]; };
    std::uint32_t* to = &labels[{0, Y_ + first_, X_ + x_}];
    const bool whole = is_whole();
    std::uint32_t leaving = 0;  // lane k keeps the bits of row k
#pragma unroll
    for (int k = 0; k < parent_rows; ++k, to += labels.step_y) {
      const auto leaves = __ballot_sync(all_lanes, pointer_at(at_[k]) == beyond_tile);
      if (threadIdx.x % 32 == k) leaving = leaves;
      if (whole || is_pixel(k)) *to = value_at(at_[k]);
    }
    if (threadIdx.x % 32 < parent_rows)
      reinterpret_cast<std::uint32_t*>(
          all_.leaving + std::int64_t{tile_} *
                             side)[2 * (first_ + static_cast<int>(threadIdx.x % 32)) + (x_ >> 5)] = leaving;
    if (threadIdx.x >= rim_places) return;
    const int place = static_cast<int>(threadIdx.x), i = place % side;
    const int y = place < side ? 0 : place < 2 * side ? side - 1 : i;
    const int x = place < 2 * side ? i : place < 3 * side ? 0 : side - 1;
    const auto end = m_.parent[(y + 1) * ring_pitch + x + 1];
    const auto found = value_at(end);
    const auto own = tile_ * rim_places + static_cast<std::uint32_t>(place);
    all_.next[own] = pointer_at(end) == beyond_tile ? found : own;
    all_.rim_labels[own] = found;
  }

  const world& all_;
  const Key* levels_;
  std::int64_t pitch_;
  std::uint32_t no_diagonal_;
  parent_memory& m_;
  std::uint32_t tile_;
  int x_, first_;
  std::int64_t X_, Y_;
  std::uint32_t seeded_ = 0, none_ = 0;  // a bit for each row of the thread: seeds; pixels without a time
  std::uint32_t ring_d_[ring_parts];
  Key ring_level_[ring_parts] = {};
  pointer at_[parent_rows];
};

template <class Key>
__global__ void __launch_bounds__(parent_threads, tuning::parent_blocks)
    find_parents(const __grid_constant__ world all, const Key* __restrict__ levels, std::int64_t pitch,
                 const __grid_constant__ view<std::uint32_t> labels,
                 const __grid_constant__ view<const std::uint32_t> seeds) {
  __shared__ parent_memory m;
  follow();
  parent_finder<Key>(all, levels, pitch, m).find(labels, seeds);
}

/// Other threads shorten the same paths: any place that is read lies on the path. Labels of ends stay.
__global__ void __launch_bounds__(rim_places) jump_rims(const __grid_constant__ world all) {
  using tiles::load_relaxed, tiles::store_relaxed;
  follow();
  const auto own = blockIdx.x * rim_places + threadIdx.x;
  auto at = load_relaxed(all.next + own);
  if (at == own) return;
  for (;;) {
    const auto next = load_relaxed(all.next + at);
    if (next == at) break;
    at = next;
    store_relaxed(all.next + own, at);
  }
  all.rim_labels[own] = load_relaxed(all.rim_labels + at);
}

/// All loads of a thread are in flight at once.
inline constexpr int write_threads = tuning::leaving_threads, write_rows = side * side / write_threads;
__global__ void __launch_bounds__(write_threads)
    write_leaving(const __grid_constant__ world all, const __grid_constant__ view<std::uint32_t> labels) {
  follow();
  const auto tile = blockIdx.x;
  const int x = static_cast<int>(threadIdx.x) % side,
            first = static_cast<int>(threadIdx.x) / side * write_rows;
  const std::int64_t X = std::int64_t{tile % all.across} * side, Y = std::int64_t{tile / all.across} * side;
  std::uint32_t* const column = &labels[{0, Y + first, X + x}];
  std::uint32_t bits = 0, found[write_rows];
#pragma unroll
  for (int k = 0; k < write_rows; ++k)
    bits |= (half_row(all.leaving + std::int64_t{tile} * side, first + k, x) >> (x & 31) & 1) << k;
#pragma unroll
  for (int k = 0; k < write_rows; ++k)
    if (bits >> k & 1) found[k] = column[k * labels.step_y];
#pragma unroll
  for (int k = 0; k < write_rows; ++k)
    if (bits >> k & 1) found[k] = all.rim_labels[found[k]];
#pragma unroll
  for (int k = 0; k < write_rows; ++k)
    if (bits >> k & 1) column[k * labels.step_y] = found[k];
}

}  // namespace macareu::cuda::tile_basins

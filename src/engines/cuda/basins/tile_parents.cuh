// Parents, and the labels at their ends. Paths are shortened inside tiles first. A path that leaves a tile
// ends in the ring of pixels around it, each of which is a rim pixel of another tile. Then paths from rim
// pixel to rim pixel are shortened, and pixels whose path leaves their tile read the label there.
#pragma once

#include "core/view.hpp"
#include "engines/cuda/basins/world.cuh"
#include "engines/cuda/wave/tiles/relaxed.cuh"

namespace macareu::cuda::tile_basins {

inline constexpr int parent_threads = 256, parent_rows = side * side / parent_threads;
inline constexpr int ring_pitch = side + 2, ring_cells = ring_pitch * ring_pitch;

/// A pixel of the tile (or of the ring around it) as the parent: bits 0 to 12; flags of paths' ends.
using pointer = std::uint16_t;
inline constexpr pointer path_end = 0x8000, beyond_tile = 0x4000, cell_bits = 0x1fff;

struct parent_memory {
  std::uint32_t t[ring_cells];  // (L, d), or L alone; then what the ends of paths lead to
  std::uint32_t d[ring_cells];  // where L and d do not fit one word
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

/// A thread has one column of a tile and 16 of its rows.
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
      far = __syncthreads_or(used >= too_far || is_far(ring_d_[0]) || is_far(ring_d_[1]));
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
  __device__ bool is_pixel(int k) const { return Y_ + first_ + k < all_.height && X_ + x_ < all_.width; }

  /// visit(cell, part) for the cells of the ring that are this thread's.
  template <class Visit>
  __device__ void for_ring(Visit&& visit) const {
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const int i = static_cast<int>(threadIdx.x) + part * parent_threads;
      if (i < ring_places) visit(ring_cell(all_, tile_, i), part);
    }
  }

  __device__ void load_ring() {
    for_ring([&](const ring_cell& at, int part) {
      if (at.tile == all_.tiles) return;
      const int y = at.y & (side - 1), x = at.x & (side - 1);
      auto d = all_.rims[at.place()];
      if (d == never && all_.seeded[std::int64_t{at.tile} * side + y] >> x & 1) d = 0;
      ring_d_[part] = d;
      if (d != never) ring_level_[part] = levels_[(Y_ + at.y) * pitch_ + X_ + at.x];
    });
  }

  /// Bits of two planes in this thread's column: its rows of the first, then of the second.
  __device__ std::uint32_t column_of(const word* first, const word* second) const {
    const auto lane = threadIdx.x % 32;
    const auto* const rows = reinterpret_cast<const std::uint32_t*>(lane < 16 ? first : second);
    return transposed(rows[2 * (first_ + static_cast<int>(lane % 16)) + (x_ >> 5)]);
  }

  /// Writes the times of the tile and of the ring to shared memory; the last three bits are free for
  /// directions.
  template <bool Apart>
  __device__ void write_times(std::uint32_t used) {
    const std::int64_t rows = std::int64_t{tile_} * side;
    const auto known = column_of(all_.reached + rows, all_.seeded + rows);
    const auto reached = known & 0xffff, none = ~(known | known >> 16);
    seeded_ = known >> 16;
    ends_ = seeded_ | none;
    Key level[parent_rows];
    const Key* from = levels_ + (Y_ + first_) * pitch_ + X_ + x_;
    if (is_whole()) {
#pragma unroll
      for (int k = 0; k < parent_rows; ++k, from += pitch_) level[k] = *from;
    } else {
#pragma unroll
      for (int k = 0; k < parent_rows; ++k, from += pitch_) level[k] = none >> k & 1 ? Key{0} : *from;
    }
    std::uint32_t d[parent_rows] = {};
    for (int j = (31 - __clz(static_cast<int>(used))) | 1; used && j > 0; j -= 2) {
      auto bits = column_of(all_.steps_of(tile_, j - 1), all_.steps_of(tile_, j));
      if (!(used >> (j - 1) & 1)) bits &= 0xffff0000;
      if (!(used >> j & 1)) bits &= 0xffff;
      bits &= reached | reached << 16;
#pragma unroll
      for (int k = 0; k < parent_rows; ++k) d[k] = d[k] << 2 | (bits >> (15 + k) & 2) | (bits >> k & 1);
    }
    const auto put = [&](int at, std::uint32_t of_level, std::uint32_t of_d, bool is_none) {
      if constexpr (Apart) {
        m_.t[at] = is_none ? never : of_level;
        m_.d[at] = is_none ? never : of_d << 3;
      } else {
        m_.t[at] = is_none ? never : of_level << d_bits | of_d << 3;
      }
    };
#pragma unroll
    for (int k = 0; k < parent_rows; ++k) put(cell(k), level[k], d[k], none >> k & 1);
    for_ring([&](const ring_cell& at, int part) {
      put(at.index(), ring_level_[part], ring_d_[part], ring_d_[part] == never);
      m_.parent[at.index()] = static_cast<pointer>(at.index() | path_end | beyond_tile);
    });
  }

  template <bool Apart>
  __device__ void find_parents(std::uint32_t used) {
    write_times<Apart>(used);
    __syncthreads();
    struct three {
      std::uint32_t t[3], d[3];
    };
    const auto row = [&](int at) {
      three v;
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        v.t[i] = m_.t[at - 1 + i];
        if constexpr (Apart) v.d[i] = m_.d[at - 1 + i];
      }
      return v;
    };
    three a = row(cell(-1)), b = row(cell(0));
#pragma unroll
    for (int k = 0; k < parent_rows; ++k) {
      const int at = cell(k);
      const three c = row(at + ring_pitch);
      std::uint32_t best;
      const auto off = no_diagonal_;
      if constexpr (Apart) {
        auto low = __vimin3_u32(min(a.t[1], c.t[1]), b.t[0], b.t[2]);
        low = __vimin3_u32(low, a.t[0] | off, a.t[2] | off);
        low = __vimin3_u32(low, c.t[0] | off, c.t[2] | off);
        const auto time = [&](std::uint32_t level, std::uint32_t d, std::uint32_t code) {
          return level == low ? d | code : never;
        };
        best = __vimin3_u32(time(a.t[1], a.d[1], 0), time(b.t[0], b.d[0], 1), time(b.t[2], b.d[2], 2));
        best = __vimin3_u32(best, time(c.t[1], c.d[1], 3), time(a.t[0], a.d[0], 4 | off));
        best = __vimin3_u32(best, time(a.t[2], a.d[2], 5 | off), time(c.t[0], c.d[0], 6 | off));
        best = min(best, time(c.t[2], c.d[2], 7 | off));
      } else {
        best = __vimin3_u32(a.t[1], b.t[0] | 1, b.t[2] | 2);
        best = __vimin3_u32(best, c.t[1] | 3, a.t[0] | 4 | off);
        best = __vimin3_u32(best, a.t[2] | 5 | off, c.t[0] | 6 | off);
        best = min(best, c.t[2] | 7 | off);
      }
      at_[k] = static_cast<pointer>(ends_ >> k & 1 ? at | path_end : at + offset(best & 7));
      m_.parent[at] = at_[k];
      a = b, b = c;
    }
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

  /// Every round multiplies the length of jumps.
  __device__ void jump() {
    constexpr int hops = 4;
    for (bool more = true; more;) {
      std::uint32_t moved = 0;
#pragma unroll
      for (int k = 0; k < parent_rows; ++k)
        if (!(at_[k] & path_end)) moved |= 1u << k;
#pragma unroll 1
      for (int hop = 0; hop < hops; ++hop)
#pragma unroll
        for (int k = 0; k < parent_rows; ++k)
          if (!(at_[k] & path_end)) at_[k] = m_.parent[at_[k]];
      __syncthreads();
      bool open = false;
#pragma unroll
      for (int k = 0; k < parent_rows; ++k) {
        if (moved >> k & 1) m_.parent[cell(k)] = at_[k];
        open = open || !(at_[k] & path_end);
      }
      more = __syncthreads_or(open);
    }
  }

  __device__ void write(const view<std::uint32_t>& labels, const view<const std::uint32_t>& seeds) {
    std::uint32_t* const value = m_.t;
    const std::uint32_t* seed = &seeds[{0, Y_ + first_, X_ + x_}];
#pragma unroll
    for (int k = 0; k < parent_rows; ++k, seed += seeds.step_y)
      if (ends_ >> k & 1) value[cell(k)] = seeded_ >> k & 1 ? *seed : 0;
    for_ring([&](const ring_cell& at, int) { value[at.index()] = at.place(); });
    __syncthreads();
    std::uint32_t* to = &labels[{0, Y_ + first_, X_ + x_}];
    const bool whole = is_whole();
    std::uint32_t leaving = 0;  // lane k keeps the bits of row k
#pragma unroll
    for (int k = 0; k < parent_rows; ++k, to += labels.step_y) {
      const auto leaves = __ballot_sync(all_lanes, (at_[k] & beyond_tile) != 0);
      if (threadIdx.x % 32 == k) leaving = leaves;
      if (whole || is_pixel(k)) *to = value[at_[k] & cell_bits];
    }
    if (threadIdx.x % 32 < parent_rows)
      reinterpret_cast<std::uint32_t*>(
          all_.leaving + std::int64_t{tile_} *
                             side)[2 * (first_ + static_cast<int>(threadIdx.x % 32)) + (x_ >> 5)] = leaving;
    const int place = static_cast<int>(threadIdx.x), i = place % side;
    const int y = place < side ? 0 : place < 2 * side ? side - 1 : i;
    const int x = place < 2 * side ? i : place < 3 * side ? 0 : side - 1;
    const auto end = m_.parent[(y + 1) * ring_pitch + x + 1];
    const auto found = value[end & cell_bits];
    const auto own = tile_ * rim_places + static_cast<std::uint32_t>(place);
    all_.next[own] = end & beyond_tile ? found : own;
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
  std::uint32_t seeded_ = 0, ends_ = 0;  // a bit for each row of the thread
  std::uint32_t ring_d_[2] = {never, never};
  Key ring_level_[2] = {};
  pointer at_[parent_rows];
};

template <class Key>
__global__ void __launch_bounds__(parent_threads, 4)
    find_parents(const __grid_constant__ world all, const Key* __restrict__ levels, std::int64_t pitch,
                 const __grid_constant__ view<std::uint32_t> labels,
                 const __grid_constant__ view<const std::uint32_t> seeds) {
  __shared__ parent_memory m;
  parent_finder<Key>(all, levels, pitch, m).find(labels, seeds);
}

/// Other threads shorten the same paths: any place that is read lies on the path. Labels of ends stay.
__global__ void __launch_bounds__(256) jump_rims(const __grid_constant__ world all) {
  using tiles::load_relaxed, tiles::store_relaxed;
  const auto own = blockIdx.x * 256 + threadIdx.x;
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
__global__ void __launch_bounds__(parent_threads)
    write_leaving(const __grid_constant__ world all, const __grid_constant__ view<std::uint32_t> labels) {
  const auto tile = blockIdx.x;
  const int x = static_cast<int>(threadIdx.x) % side,
            first = static_cast<int>(threadIdx.x) / side * parent_rows;
  const std::int64_t X = std::int64_t{tile % all.across} * side, Y = std::int64_t{tile / all.across} * side;
  std::uint32_t* const column = &labels[{0, Y + first, X + x}];
  std::uint32_t bits = 0, found[parent_rows];
#pragma unroll
  for (int k = 0; k < parent_rows; ++k)
    bits |= (half_row(all.leaving + std::int64_t{tile} * side, first + k, x) >> (x & 31) & 1) << k;
#pragma unroll
  for (int k = 0; k < parent_rows; ++k)
    if (bits >> k & 1) found[k] = column[k * labels.step_y];
#pragma unroll
  for (int k = 0; k < parent_rows; ++k)
    if (bits >> k & 1) found[k] = all.rim_labels[found[k]];
#pragma unroll
  for (int k = 0; k < parent_rows; ++k)
    if (bits >> k & 1) column[k * labels.step_y] = found[k];
}

}  // namespace macareu::cuda::tile_basins

// Lines in shared memory, and the search for the least value + distance^2 along them. A warp takes a chunk:
// the same 128 / Lines places of all lines of the block, four places per lane. Every 16 bytes loaded then
// serve 16 sums, or 32 if a line is two rows.
#pragma once

#include <cstdint>

#include "core/macros.hpp"
#include "engines/cuda/line/row_words.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

inline constexpr unsigned whole_warp = 0xffffffffu;

template <int Lines, class Rows = one_row>
struct shared_lines {
  static constexpr int lanes = 32 / Lines;  // of a line
  static constexpr int chunk = 4 * lanes;
  static constexpr int margin = 32;  // columns of `none` on either side
  static constexpr int group = 8;    // columns with one least value
  /// Loaded columns are a multiple of this.
  static constexpr int unit = 128;

  std::uint32_t* value;  // of column `first`
  std::uint32_t* least;  // of a group, over all lines; `none` beside the first and the last
  int first, width;      // columns [first, first + width)
  std::uint32_t none;    // stands for no site; no value with a site is greater

  static constexpr int stride(int width) { return width + 2 * margin; }
  static constexpr int words(int width) { return Lines * stride(width) + width / group + 8; }

  __device__ shared_lines(std::uint32_t* memory, int first_column, int columns, std::uint32_t no_site)
      : value(memory + margin),
        least(memory + Lines * stride(columns) + 4),
        first(first_column),
        width(columns),
        none(no_site) {}

  __device__ int groups() const { return width / group; }
  /// Column x of line l is line(l)[x].
  __device__ const std::uint32_t* line(int l) const { return value + l * stride(width) - first; }

  __device__ void fill_margins() const {
    for (int i = threadIdx.x; i < Lines * 2 * margin; i += blockDim.x) {
      const int l = i / (2 * margin), j = i % (2 * margin);
      value[l * stride(width) + (j < margin ? j - margin : width + j - margin)] = Rows::word(none);
    }
    if (threadIdx.x < 2) least[threadIdx.x ? groups() : -1] = none;
  }

  /// Calls seen(g, most) with the greatest value of group g.
  template <class Seen>
  __device__ void find_least_of_groups(const Seen& seen) const {
    for (int g = threadIdx.x; g < groups(); g += blockDim.x) {
      std::uint32_t m = Rows::word(none);
      const auto offer = [&](std::uint32_t word) { m = Rows::least(m, word); };
      std::uint32_t most = 0;
#pragma unroll
      for (int l = 0; l < Lines; ++l) {
        const auto* const at = reinterpret_cast<const uint4*>(value + l * stride(width) + group * g);
        const uint4 a = at[0], b = at[1];
        offer(Rows::least(Rows::least(a.x, a.y), Rows::least(a.z, a.w)));
        offer(Rows::least(Rows::least(b.x, b.y), Rows::least(b.z, b.w)));
        most = max(most, max(Rows::greatest({a.x, a.y, a.z, a.w}), Rows::greatest({b.x, b.y, b.z, b.w})));
      }
      least[g] = Rows::least_of(m);
      seen(g, most);
    }
  }

  /// Whether some group in or beside the chunk at x has a value below `small`.
  __device__ bool has_near(int x, std::uint32_t small) const {
    const int lane = threadIdx.x % 32;
    return __any_sync(whole_warp, lane < chunk / group + 2 && least[(x - first) / group - 1 + lane] < small);
  }
};

/// The four columns at x of one line, and their best values so far.
template <class Rows>
struct line_places {
  const std::uint32_t* line;
  int x;
  std::uint32_t d[4];

  __device__ void offer_group(int column) {
    const auto* const at = reinterpret_cast<const uint4*>(line + column);
    const uint4 a = at[0], b = at[1];
    const std::uint32_t value[8]{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    const int apart = Rows::apart(x - column);
    std::uint32_t cost[11];
#pragma unroll
    for (int k = 0; k < 11; ++k) cost[k] = Rows::cost(apart + k - 7);
#pragma unroll
    for (int k = 0; k < 8; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i) d[i] = Rows::least_sum(value[k], cost[i - k + 7], d[i]);
  }

  /// Columns between a group and these; 0 if they overlap.
  __device__ int gap(int column) const { return max(max(column - (x + 3), x - (column + 7)), 0); }
};

/// Searches outwards from the own columns, in a few steps of four columns.
struct near_search {
  static constexpr int steps = tuning::near_steps;

  /// Returns whether all lanes are settled. `own`: the values of the four columns.
  template <class Rows>
  static __device__ bool settle(line_places<Rows>& p, const uint4& own) {
    auto& d = p.d;
    const auto nearer = [](std::uint32_t value, int k, std::uint32_t so_far) {
      return Rows::least_sum(value, Rows::cost(k), so_far);
    };
    d[0] = nearer(own.w, 3, nearer(own.z, 2, nearer(own.y, 1, d[0])));
    d[1] = nearer(own.w, 2, nearer(own.z, 1, nearer(own.x, 1, d[1])));
    d[2] = nearer(own.w, 1, nearer(own.y, 1, nearer(own.x, 2, d[2])));
    d[3] = nearer(own.z, 1, nearer(own.y, 2, nearer(own.x, 3, d[3])));
#pragma unroll
    for (int m = 1; m <= steps; ++m) {
      if (m > 1) {
        const auto most = Rows::greatest(d);
        if (!__any_sync(whole_warp, most > square(4 * m - 3))) return true;
        if (m == 2 && __any_sync(whole_warp, most > tuning::far_square)) return false;
      }
      const uint4 a = *reinterpret_cast<const uint4*>(p.line + p.x - 4 * m);
      const uint4 b = *reinterpret_cast<const uint4*>(p.line + p.x + 4 * m);
      const std::uint32_t left[4]{a.x, a.y, a.z, a.w}, right[4]{b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          d[i] = nearer(left[j], 4 * m + i - j, d[i]);
          d[i] = nearer(right[j], 4 * m + j - i, d[i]);
        }
    }
    return !__any_sync(whole_warp, Rows::greatest(d) > square(4 * steps + 1));
  }
};

/// Searches groups of columns from the chunk outwards, least bound first. A group can matter only if its
/// least value + gap^2 is below the greatest value of the warp. The search gives up after `most_groups`
/// groups or `most_rounds` rounds of 128 columns either way. It also gives up if a value of at least
/// `hopeless` remains after `first_groups` groups, because many more would be needed.
template <int Lines, class Rows = one_row>
struct group_search {
  int most_groups, most_rounds;
  int first_groups;
  std::uint32_t hopeless;

  /// Returns whether the search covered all columns in memory. `worst` becomes the warp's greatest value.
  __device__ bool settle(const shared_lines<Lines, Rows>& in, int chunk_x, line_places<Rows>& p,
                         std::uint32_t& worst) const {
    constexpr int chunk = shared_lines<Lines, Rows>::chunk;
    const int lane = threadIdx.x % 32, own = (chunk_x - in.first) / 8, j = lane % 16;
    const bool left = lane < 16;
    std::uint32_t most = Rows::greatest(p.d);
    worst = min(__reduce_max_sync(whole_warp, most), in.none);  // places without a site never count
    int taken = 0;
    for (int round = 0;; ++round) {
      const int nearest = max(0, 128 * round - (chunk - 1));
      if (square(nearest) >= worst) return true;
      if (own - 1 - 16 * round < 0 && own + 16 * round >= in.groups()) return true;
      if (round == most_rounds) return false;
      const int g = left ? own - 1 - 16 * round - j : own + 16 * round + j;
      const int gap = left ? 128 * round + 8 * j + 1 : max(0, 128 * round + 8 * j - (chunk - 1));
      std::uint32_t bound = g >= 0 && g < in.groups() ? in.least[g] + square(gap) : ~0u;
      for (;;) {
        const auto best = __reduce_min_sync(whole_warp, bound);
        if (best >= worst) break;
        const int from = __ffs(__ballot_sync(whole_warp, bound == best)) - 1;
        const int chosen = __shfl_sync(whole_warp, g, from);
        if (lane == from) bound = ~0u;
        const int column = in.first + 8 * chosen;
        if (!__any_sync(whole_warp, in.least[chosen] + square(p.gap(column)) < most)) continue;
        if (++taken > most_groups || (taken > first_groups && worst >= hopeless)) return false;
        p.offer_group(column);
        most = Rows::greatest(p.d);
        worst = min(__reduce_max_sync(whole_warp, most), in.none);
      }
    }
  }
};

}  // namespace macareu::cuda

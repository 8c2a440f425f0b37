// Search for chunks whose best columns are far away. The first best column is monotonic along a line
// (patterns/line.hpp), so halving finds it for the ends of the chunks. The best column of an end in the
// middle lies between those of the ends on either side. So every level reads each column about once. A chunk
// then searches only the columns between those of its two ends. Where these are many, as in the middle of a
// circle, the whole block searches for the chunk.
#pragma once

#include "engines/cuda/line/shared_lines.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

template <int Lines>
struct open_chunks {
  using lines = shared_lines<Lines>;

  int* reach;             // per chunk: largest distance of a best column; 0 if settled
  int* end;               // the ends of open chunks, in order
  int* place;             // the best column of an end, `ends` per line
  std::uint32_t* solved;  // a chunk that the whole block searches for
  int chunks, ends;

  static constexpr int words(int chunks) { return 128 + chunks + (Lines + 1) * (chunks + 1); }

  __device__ open_chunks(std::uint32_t* memory, int count)
      : reach(reinterpret_cast<int*>(memory) + 128),
        end(reach + count),
        place(end + count + 1),
        solved(memory),
        chunks(count),
        ends(count + 1) {}

  /// The column of end e: the first of chunk e, or the last of the line.
  static __device__ int column(int e, int width) { return min(e * lines::chunk, width - 1); }

  /// Returns the number of wanted ends. Callers need a barrier before and after.
  __device__ int list_ends(int* shared_count) const {
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
      int listed = 0;
      for (int e0 = 0; e0 < ends; e0 += 32) {
        const int e = e0 + lane;
        const bool wanted = e < ends && ((e < chunks && reach[e]) || (e > 0 && reach[e - 1]));
        const unsigned all = __ballot_sync(whole_warp, wanted);
        if (wanted) end[listed + __popc(all & ((1u << lane) - 1))] = e;
        listed += __popc(all);
      }
      if (lane == 0) *shared_count = listed;
    }
    __syncthreads();
    return *shared_count;
  }

  static __device__ int reach_within(std::uint32_t greatest) {
    return static_cast<int>(sqrtf(static_cast<float>(greatest))) + 2;
  }

  /// A distance at an end is at most one more than that of the chunk before.
  __device__ int reach_of(int e) const { return e < chunks && reach[e] ? reach[e] : reach[e - 1] + 1; }

  /// The first best column of x in [low, high], in all lanes of a line.
  static __device__ int best_column(const std::uint32_t* line, int x, int low, int high) {
    std::uint32_t best = ~0u;
    int at = low & ~3;
#pragma unroll 4
    for (int i = at + 4 * static_cast<int>(threadIdx.x % lines::lanes); i <= high; i += lines::chunk) {
      const uint4 v = *reinterpret_cast<const uint4*>(line + i);
      const int t = x - i;
      const auto m =
          min(min(v.x + square(t), v.y + square(t - 1)), min(v.z + square(t - 2), v.w + square(t - 3)));
      if (m < best) {
        best = m;
        at = i;
      }
    }
    auto all = best;
#pragma unroll
    for (int apart = lines::lanes / 2; apart > 0; apart /= 2)
      all = min(all, __shfl_xor_sync(whole_warp, all, apart));
    int found = 1 << 30;
    if (best == all) {
      const uint4 v = *reinterpret_cast<const uint4*>(line + at);
      const int t = x - at;
      found = at + (v.x + square(t) == all       ? 0
                    : v.y + square(t - 1) == all ? 1
                    : v.z + square(t - 2) == all ? 2
                                                 : 3);
    }
#pragma unroll
    for (int apart = lines::lanes / 2; apart > 0; apart /= 2)
      found = min(found, __shfl_xor_sync(whole_warp, found, apart));
    return found;
  }

  /// The columns of [low, high] that can be the best of x on some line, by the lower bounds of groups.
  static __device__ int2 promising(const lines& in, const std::uint32_t* line, int x, int low, int high) {
    const int lane = threadIdx.x % 32;
    const int from = __reduce_min_sync(whole_warp, low) / 8, to = __reduce_max_sync(whole_warp, high) / 8;
    const auto bound = [&](int g) { return in.least[g] + square(max(max(8 * g - x, x - (8 * g + 7)), 0)); };
    std::uint32_t least = ~0u;
    int at = from;
#pragma unroll 4
    for (int g = from + lane; g <= to; g += 32) {
      const auto b = bound(g);
      if (b < least) {
        least = b;
        at = g;
      }
    }
    const auto best = __reduce_min_sync(whole_warp, least);
    at = __shfl_sync(whole_warp, at, __ffs(__ballot_sync(whole_warp, least == best)) - 1);
    // The values of this group bound the best of every line from above.
    const int column = 8 * at + lane % 8;
    std::uint32_t enough = low <= column && column <= high ? line[column] + square(x - column) : ~0u;
#pragma unroll
    for (int apart = 4; apart > 0; apart /= 2)
      enough = min(enough, __shfl_xor_sync(whole_warp, enough, apart));
    enough = __reduce_max_sync(whole_warp, enough);
    int first = to, last = from;
#pragma unroll 4
    for (int g = from + lane; g <= to; g += 32)
      if (bound(g) <= enough) {
        first = min(first, g);
        last = max(last, g);
      }
    return {max(low, 8 * __reduce_min_sync(whole_warp, first)),
            min(high, 8 * __reduce_max_sync(whole_warp, last) + 7)};
  }

  /// Solves all ends, counted from one. The first pass takes ends at multiples of a step, one or two per
  /// warp, without neighbours. Later passes take the odd multiples of `step`, whose neighbours are at
  /// distance `step`. A warp takes an end of all lines.
  __device__ void halve(const lines& in, int width, int wanted) const {
    const int lane = threadIdx.x % 32, l = lane / lines::lanes;
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const std::uint32_t* const line = in.line(l);
    int first = 1 << (31 - __clz(max(wanted / warps, 1))), every = first, step = wanted;
    for (;;) {
      for (int n = first + every * warp; n <= wanted; n += every * warps) {
        const int e = end[n - 1], x = column(e, width), reached = reach_of(e);
        const int left = n - step > 0 ? place[l * ends + end[n - step - 1]] : 0;
        const int right = n + step <= wanted ? place[l * ends + end[n + step - 1]] : width - 1;
        int low = max(left, x - reached), high = min(right, x + reached);
        if (__any_sync(whole_warp, high - low >= tuning::many_columns)) {
          const int2 columns = promising(in, line, x, low, high);
          low = columns.x;
          high = columns.y;
        }
        const int best = __any_sync(whole_warp, low < high) ? best_column(line, x, low, high) : low;
        if (lane % lines::lanes == 0) place[l * ends + e] = best;
      }
      __syncthreads();
      if (first == 1) break;
      every = first;
      first /= 2;
      step = first;
    }
  }

  /// The best columns of both ends of a chunk, on the line of this lane.
  __device__ int2 range(int c) const {
    const int* const best = place + threadIdx.x % 32 / lines::lanes * ends + c;
    return {best[0], best[1]};
  }

  /// The whole block solves chunk c; a warp takes a column of all lines.
  __device__ void solve_long(const lines& in, int c, int width) const {
    const int l = threadIdx.x % 32 / lines::lanes;
    const std::uint32_t* const line = in.line(l);
    const int2 columns = range(c);
    for (int i = threadIdx.x / 32; i < min(lines::chunk, width - c * lines::chunk); i += blockDim.x / 32) {
      const int x = c * lines::chunk + i, best = best_column(line, x, columns.x, columns.y);
      if (threadIdx.x % lines::lanes == 0) solved[l * lines::chunk + i] = line[best] + square(x - best);
    }
  }

  /// One warp settles chunk c. Returns false if too many groups remain.
  __device__ bool settle(const lines& in, int c, line_places<one_row>& p) const {
    const int2 columns = range(c);
    int g = columns.x / 8;
    const int last = columns.y / 8;
    if (!__any_sync(whole_warp, last - g > tuning::few_groups)) {
      for (; __any_sync(whole_warp, g <= last); ++g) p.offer_group(8 * min(g, last));
      return true;
    }
    p.offer_group(8 * g);
    p.offer_group(8 * last);
    const int lane = threadIdx.x % 32;
    const int from = __reduce_min_sync(whole_warp, g), to = __reduce_max_sync(whole_warp, last);
    const int begin = __shfl_sync(whole_warp, p.x, 0), finish = begin + lines::chunk;
    auto most = one_row::greatest(p.d);
    auto worst = __reduce_max_sync(whole_warp, most);
    int taken = 0;
    for (int g0 = from; g0 <= to; g0 += 32) {
      const int own = g0 + lane, gap = max(max(8 * own - (finish - 1), begin - (8 * own + 7)), 0);
      unsigned open = __ballot_sync(whole_warp, own <= to && in.least[min(own, to)] + square(gap) < worst);
      for (; open; open &= open - 1) {
        const int chosen = g0 + __ffs(open) - 1;
        if (!__any_sync(whole_warp, in.least[chosen] + square(p.gap(8 * chosen)) < most)) continue;
        if (++taken > tuning::most_groups) return false;
        p.offer_group(8 * chosen);
        most = one_row::greatest(p.d);
      }
      worst = __reduce_max_sync(whole_warp, most);
    }
    return true;
  }
};

}  // namespace macareu::cuda

// Squared distances along lines in shared memory: loading from words, search, and storing to the image.
#pragma once

#include "core/ceil_div.hpp"
#include "engines/cuda/line/finish.cuh"
#include "engines/cuda/line/halving.cuh"
#include "engines/cuda/line/site_words.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

/// Search of a warp for one chunk, four columns per lane. `tiny`: all values are 0 or 1.
template <int Lines, class Rows = one_row>
struct chunk_search {
  using lines = shared_lines<Lines, Rows>;

  const lines& in;
  int x;           // of the chunk
  int width;       // columns beyond it are not searched
  int rows_there;  // rows of the block that exist
  line_places<Rows> p;
  std::uint32_t worst = 0;
  bool tiny = false;

  __device__ chunk_search(const lines& memory, int chunk_x, int line_width, int rows)
      : in(memory), x(chunk_x), width(line_width), rows_there(rows) {
    const int lane = threadIdx.x % 32;
    p.line = in.line(lane / lines::lanes);
    p.x = x + 4 * (lane % lines::lanes);
  }

  /// Places outside the image start at 0, so they never extend the search.
  __device__ void start(const uint4& own) {
    p.d[0] = own.x;
    p.d[1] = own.y;
    p.d[2] = own.z;
    p.d[3] = own.w;
    if (rows_there == Lines * Rows::rows && x + lines::chunk <= width) return;
    const auto rows =
        Rows::there(rows_there - static_cast<int>(threadIdx.x % 32) / lines::lanes * Rows::rows);
#pragma unroll
    for (int i = 0; i < 4; ++i) p.d[i] = p.x + i < width ? p.d[i] & rows : 0;
  }

  /// Returns false if the search gave up or distances exceed the reach of Rows.
  __device__ bool settle(const group_search<Lines, Rows>& by_groups) {
    const uint4 own = *reinterpret_cast<const uint4*>(p.line + p.x);
    start(own);
    tiny = !__any_sync(whole_warp, (p.d[0] | p.d[1] | p.d[2] | p.d[3]) & Rows::beyond_one);
    if (tiny) return true;
    if (in.has_near(x, tuning::near_square) && near_search::settle(p, own)) return true;
    return by_groups.settle(in, x, p, worst) && (Rows::rows == 1 || worst < in.none);
  }

  /// Searches between the best columns of both ends.
  __device__ bool settle(const open_chunks<Lines>& open, int c) {
    start({~0u, ~0u, ~0u, ~0u});
    return open.settle(in, c, p);
  }
};

/// Without hope the search ends before its first group.
template <int Lines>
__device__ group_search<Lines> search_of_rows(bool hopeful) {
  using namespace tuning;
  return {hopeful ? whole_row_groups : 0, hopeful ? whole_row_rounds : 0, whole_row_first_groups,
          square(whole_row_hopeless)};
}
__device__ inline group_search<4, two_rows> search_of_windows(bool hopeful) {
  using namespace tuning;
  return {hopeful ? row_window_groups : 0, hopeful ? row_window_rounds : 0, row_window_first_groups,
          square(row_window_hopeless)};
}

/// Solves lines that are completely in shared memory, for chunks with wanted(chunk).
template <int Lines, class Wanted, class Store>
__device__ void solve_whole_lines(const shared_lines<Lines>& in, std::uint32_t* memory, int width,
                                  int lines_there, const Wanted& wanted, const Store& store) {
  using lines = shared_lines<Lines>;
  __shared__ int wanted_ends;
  const int lane = threadIdx.x % 32, l = lane / lines::lanes;
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const open_chunks<Lines> open(memory, ceil_div(width, lines::chunk));
  in.find_least_of_groups([&](int g, std::uint32_t most) {
    constexpr int groups = lines::chunk / lines::group;
    static_assert(groups <= 16 && lines::unit % (16 * lines::group) == 0);  // half a warp has whole chunks
#pragma unroll
    for (int apart = groups / 2; apart > 0; apart /= 2)
      most = max(most, __shfl_xor_sync(0xffffu << (lane & 16), most, apart));
    if (g % groups == 0 && g / groups < open.chunks)
      open.reach[g / groups] = wanted(g / groups) ? open.reach_within(min(most, in.none)) : 0;
  });
  __syncthreads();
  bool hopeful = true, all_settled = true;
  for (int c = warp; c < open.chunks; c += warps) {
    if (!open.reach[c]) continue;
    if (!hopeful && !in.has_near(c * lines::chunk, tuning::near_square)) {
      all_settled = false;
      continue;
    }
    chunk_search<Lines> search(in, c * lines::chunk, width, lines_there);
    // Where groups failed for one chunk, they will fail for the next.
    const bool settled = search.settle(search_of_rows<Lines>(hopeful));
    hopeful = hopeful && settled;
    all_settled = all_settled && settled;
    __syncwarp();  // all lanes have read the reach
    if (lane == 0) open.reach[c] = settled ? 0 : open.reach_within(search.worst);
    if (settled) store(l, search.p, search.tiny);
  }
  if (!__syncthreads_or(!all_settled)) return;
  open.halve(in, width, open.list_ends(&wanted_ends));
  bool some_are_long = false;
  for (int c = warp; c < open.chunks; c += warps) {
    if (!open.reach[c]) continue;
    chunk_search<Lines> search(in, c * lines::chunk, width, lines_there);
    if (search.settle(open, c)) {
      store(l, search.p, false);
      __syncwarp();  // all lanes have read the reach
      if (lane == 0) open.reach[c] = 0;
    } else {
      some_are_long = true;
    }
  }
  if (!__syncthreads_or(some_are_long)) return;
  for (int c = 0; c < open.chunks; ++c) {
    if (!open.reach[c]) continue;
    open.solve_long(in, c, width);
    __syncthreads();
    if (warp == 0) {
      chunk_search<Lines> search(in, c * lines::chunk, width, lines_there);
      search.start(*reinterpret_cast<const uint4*>(open.solved + 4 * lane));
      store(l, search.p, false);
    }
    __syncthreads();
  }
}

/// Fills rows from words. Row i of the block is place `first` + i of the words' lines, all in one word.
template <int Lines, class Rows>
__device__ void fill_from_words(const shared_lines<Lines, Rows>& to, const site_words& from,
                                std::int64_t first, std::int64_t row) {
  constexpr int rows = Lines * Rows::rows;
  const std::int64_t at = first / 32 * from.plane + row * from.pitch + to.first;
  const int bit = static_cast<int>(first % 32), stride = to.stride(to.width);
  for (int x = 2 * threadIdx.x; x < to.width; x += 2 * blockDim.x) {
    uint2 squares[Lines];
    if (to.first + x < from.pitch) {
      const uint2 words = *reinterpret_cast<const uint2*>(from.word + at + x);
      const ushort2 before = *reinterpret_cast<const ushort2*>(from.before + at + x);
      const ushort2 after = *reinterpret_cast<const ushort2*>(from.after + at + x);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        // Counts zeros once in each direction for all rows; the others follow step by step.
        const std::uint32_t word = j ? words.y : words.x, here = word >> bit;
        const std::uint32_t up_to = word << (31 - bit), down_from = here >> (rows - 1);
        const int back = Rows::steps(up_to ? __clz(up_to) : bit + (j ? before.y : before.x));
        const int ahead =
            Rows::steps(down_from ? __ffs(down_from) - 1 : 32 - rows - bit + (j ? after.y : after.x));
        std::uint32_t found[Lines];
        Rows::squares(here, back, ahead, found);
#pragma unroll
        for (int l = 0; l < Lines; ++l) (j ? squares[l].y : squares[l].x) = found[l];
      }
    } else {
#pragma unroll
      for (int l = 0; l < Lines; ++l) squares[l] = {Rows::word(to.none), Rows::word(to.none)};
    }
#pragma unroll
    for (int l = 0; l < Lines; ++l) *reinterpret_cast<uint2*>(to.value + l * stride + x) = squares[l];
  }
}

/// Stores four adjacent pixels of one or two rows to the image. Every thread has one line.
template <class Rows, class Finish>
struct store_row {
  using result = typename Finish::result;
  result* line;
  int width;
  int rows;  // that exist
  bool aligned;
  std::int64_t step_row, step_x;
  Finish finish;
  result one;

  __device__ store_row(const stacked_rows<result>& out, bool in_fours, std::int64_t place, std::int64_t row,
                       const Finish& by)
      : line(out.at(place, row)),
        width(static_cast<int>(out.width)),
        rows(static_cast<int>(min(std::int64_t{Rows::rows}, out.length - place))),
        aligned(in_fours),
        step_row(out.step_length),
        step_x(out.step_x),
        finish(by),
        one(by(1)) {}

  __device__ void operator()(int, const line_places<Rows>& p, bool tiny) const {
#pragma unroll
    for (int r = 0; r < Rows::rows; ++r) {
      if (r >= rows) return;
      alignas(16) result value[4];
      if (tiny) {
#pragma unroll
        for (int i = 0; i < 4; ++i) value[i] = p.d[i] & Rows::bits(r) ? one : result{0};
      } else {
        Rows::finish(finish, p.d, r, value);
      }
      result* const to = line + r * step_row;
      if (aligned && p.x + 4 <= width) {
        __stcs(reinterpret_cast<uint4*>(to + p.x), *reinterpret_cast<const uint4*>(value));
        continue;
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (p.x + i < width) to[(p.x + i) * step_x] = value[i];
    }
  }
};

}  // namespace macareu::cuda

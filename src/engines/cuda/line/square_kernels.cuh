// The kernels of squared distances: rows from words, and the columns of volumes.
#pragma once

#include "core/ceil_div.hpp"
#include "engines/cuda/line/square_lines.cuh"
#include "engines/cuda/line/squares.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

struct row_problem {
  site_words words;
  std::uint32_t none;
  /// Per eight rows: whether windows did not suffice. Null if no windows ran.
  std::uint8_t* flags;
  std::int64_t flags_per_row;
  std::uint8_t* column_flags;  // per eight rows and 32 columns
  std::int64_t column_flags_per_row;

  __device__ std::int64_t flag_of(std::int64_t place, std::int64_t row) const {
    return row * flags_per_row + place / rows_per_flag;
  }
};

/// Whole rows; after windows, only flagged ones.
template <int Lines, int Threads, class Finish>
__global__ __launch_bounds__(Threads, tuning::row_threads_held / Threads) void square_rows(
    row_problem problem, stacked_rows<typename Finish::result> out, bool aligned, Finish finish) {
  extern __shared__ __align__(16) std::uint32_t memory[];
  using lines = shared_lines<Lines>;
  const std::int64_t per_row = ceil_div(out.length, Lines);
  const std::int64_t row = blockIdx.x / per_row, first = (blockIdx.x - row * per_row) * Lines;
  const int width = static_cast<int>(out.width);
  const lines in(memory, 0, ceil_div(width, lines::unit) * lines::unit, problem.none);
  in.fill_margins();
  let_next_start();
  wait_for_previous();
  const std::int64_t flag = problem.flag_of(first, row);
  if (problem.flags && !problem.flags[flag]) return;
  fill_from_words(in, problem.words, first, row);
  __syncthreads();
  const int there = static_cast<int>(min(std::int64_t{Lines}, out.length - first));
  const auto wanted = [&](int c) {
    if (!problem.flags) return true;
    constexpr int flags = lines::chunk / columns_per_flag;
    const auto* const of_rows = problem.column_flags + flag * problem.column_flags_per_row;
    bool any = false;
    for (std::int64_t i = flags * c; i < min(std::int64_t{flags} * (c + 1), problem.column_flags_per_row);
         ++i)
      any = any || of_rows[i];
    return any;
  };
  solve_whole_lines(
      in, memory + lines::words(in.width), width, there, wanted,
      store_row<one_row, Finish>(out, aligned, first + threadIdx.x % 32 / lines::lanes, row, finish));
}

/// Columns [begin, begin + Size) of eight rows, two per line, with a halo of `Halo` columns on either side.
/// Memory does not grow with the width. Chunks that need more columns are flagged.
template <int Size, int Halo, int Threads, class Finish>
__global__ __launch_bounds__(Threads, tuning::row_window_blocks) void square_windows(
    row_problem problem, stacked_rows<typename Finish::result> out, bool aligned, Finish finish) {
  extern __shared__ __align__(16) std::uint32_t memory[];
  using lines = shared_lines<4, two_rows>;
  constexpr int rows = rows_per_flag;
  const std::int64_t across = ceil_div(out.width, Size), down = blockIdx.x / across;
  const std::int64_t row = down / problem.flags_per_row, top = (down - row * problem.flags_per_row) * rows;
  const int whole = static_cast<int>(ceil_div(out.width, lines::unit) * lines::unit);
  const int begin = static_cast<int>(blockIdx.x - down * across) * Size;
  const int first = max(0, begin - Halo), last = min(whole, begin + Size + Halo);
  const lines in(memory, first, last - first, square(two_rows::reach));
  in.fill_margins();
  let_next_start();
  wait_for_previous();
  fill_from_words(in, problem.words, top, row);
  __syncthreads();
  in.find_least_of_groups([](int, std::uint32_t) {});
  __syncthreads();
  const int width = static_cast<int>(out.width), end = min(width, begin + Size);
  const int l = threadIdx.x % 32 / lines::lanes;
  const int there = static_cast<int>(min(std::int64_t{rows}, out.length - top));
  const store_row<two_rows, Finish> store(out, aligned, top + 2 * l, row, finish);
  const std::int64_t flag = problem.flag_of(top, row);
  static_assert(lines::chunk == columns_per_flag);
  bool hopeful = true;
  for (int x = begin + threadIdx.x / 32 * lines::chunk; x < end; x += Threads / 32 * lines::chunk) {
    chunk_search<4, two_rows> search(in, x, width, there);
    // Where groups failed for one chunk, they will fail for the next.
    bool settled = search.settle(search_of_windows(hopeful));
    hopeful = settled;
    if (settled && search.worst) {  // by groups: could columns outside be better?
      const int to_left = x - first + 1, to_right = last - (x + lines::chunk - 1);
      settled = (first == 0 || square(to_left) >= search.worst) &&
                (last == whole || square(to_right) >= search.worst);
    }
    if (threadIdx.x % 32 == 0) {
      problem.column_flags[flag * problem.column_flags_per_row + x / columns_per_flag] = !settled;
      if (!settled) problem.flags[flag] = 1;  // all writers store the same value
    }
    if (settled) store(l, search.p, search.tiny);
  }
}

/// Lines along y of a volume, in place or not; a block takes `Lines` columns.
template <int Lines, int Threads, class Finish>
__global__ __launch_bounds__(Threads) void square_columns(view<const std::uint32_t> values,
                                                          bool values_aligned,
                                                          view<typename Finish::result> out, bool aligned,
                                                          std::uint32_t none, Finish finish) {
  extern __shared__ __align__(16) std::uint32_t memory[];
  using lines = shared_lines<Lines>;
  using result = typename Finish::result;
  const std::int64_t across = ceil_div(out.width, Lines), z = blockIdx.x / across;
  const std::int64_t x = (blockIdx.x - z * across) * Lines;
  const int length = static_cast<int>(out.height);
  const int there = static_cast<int>(min(std::int64_t{Lines}, out.width - x));
  const lines in(memory, 0, ceil_div(length, lines::unit) * lines::unit, none);
  const int stride = in.stride(in.width);
  in.fill_margins();
  let_next_start();
  wait_for_previous();
  for (int y = threadIdx.x; y < in.width; y += Threads) {
    pixel_group<std::uint32_t, Lines> column;
#pragma unroll
    for (int l = 0; l < Lines; ++l) column.value[l] = none;
    if (y < length) {
      const std::uint32_t* const from = &values[{z, y, x}];
      if (values_aligned && there == Lines) {
        column = *reinterpret_cast<const pixel_group<std::uint32_t, Lines>*>(from);
      } else {
#pragma unroll
        for (int l = 0; l < Lines; ++l)
          if (l < there) column.value[l] = from[l * values.step_x];
      }
    }
#pragma unroll
    for (int l = 0; l < Lines; ++l) in.value[l * stride + y] = column.value[l];
  }
  __syncthreads();
  const int chunks = ceil_div(length, lines::chunk);
  std::uint32_t* const after = memory + lines::words(in.width);
  std::uint32_t* const solved = after + ceil_div(open_chunks<Lines>::words(chunks), 4) * 4;
  solve_whole_lines(
      in, after, length, there, [](int) { return true; },
      [&](int l, const line_places<one_row>& p, bool) {
        *reinterpret_cast<uint4*>(solved + l * in.width + p.x) = {p.d[0], p.d[1], p.d[2], p.d[3]};
      });
  __syncthreads();
  for (int y = threadIdx.x; y < length; y += Threads) {
    pixel_group<result, Lines> column;
#pragma unroll
    for (int l = 0; l < Lines; ++l) column.value[l] = finish(solved[l * in.width + y]);
    result* const to = &out[{z, y, x}];
    if (aligned && there == Lines) {
      *reinterpret_cast<pixel_group<result, Lines>*>(to) = column;
    } else {
#pragma unroll
      for (int l = 0; l < Lines; ++l)
        if (l < there) to[l * out.step_x] = column.value[l];
    }
  }
}

}  // namespace macareu::cuda

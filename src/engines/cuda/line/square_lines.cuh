// Squared distances along lines that a block has in shared memory, and the kernels that put them there.
#pragma once

#include "engines/cuda/line/finish.cuh"
#include "engines/cuda/line/halving.cuh"
#include "engines/cuda/line/site_words.cuh"

namespace macareu::cuda {

/// Of a warp's four columns and lines; `tiny`: all are 0 or 1.
template <int Lines>
struct chunk_search {
  using lines = shared_lines<Lines>;

  const lines& in;
  int x;       // of the chunk
  int there;   // columns from p.x on that are asked for: none on lines that are not there
  bool whole;  // all columns of all lines are
  line_places p;
  std::uint32_t worst = 0;
  bool tiny = false;

  __device__ chunk_search(const lines& memory, int chunk_x, int width, int lines_there)
      : in(memory), x(chunk_x), whole(lines_there == Lines && chunk_x + lines::chunk <= width) {
    const int lane = threadIdx.x % 32;
    p.line = in.line(lane / lines::lanes);
    p.x = x + 4 * (lane % lines::lanes);
    there = lane / lines::lanes < lines_there ? width - p.x : 0;
  }

  /// What is not there is 0 and asks for nothing.
  __device__ void start(const uint4& own) {
    p.d[0] = own.x;
    p.d[1] = own.y;
    p.d[2] = own.z;
    p.d[3] = own.w;
    if (whole) return;
    p.d[0] = there > 0 ? own.x : 0;
    p.d[1] = there > 1 ? own.y : 0;
    p.d[2] = there > 2 ? own.z : 0;
    p.d[3] = there > 3 ? own.w : 0;
  }

  __device__ bool settle(const group_search<Lines>& by_groups) {
    const uint4 own = *reinterpret_cast<const uint4*>(p.line + p.x);
    start(own);
    tiny = !__any_sync(whole_warp, greatest(p.d) > 1);
    if (tiny) return true;
    const int lane = threadIdx.x % 32;
    const bool close =
        lane < lines::chunk / 8 + 2 && in.least[(x - in.first) / 8 - 1 + lane] < near_search::worth_it;
    if (__any_sync(whole_warp, close) && near_search::settle(p, own)) return true;
    return by_groups.settle(in, x, p, worst);
  }

  /// Between the best columns of both ends.
  __device__ bool settle(const open_chunks<Lines>& open, int c) {
    start({~0u, ~0u, ~0u, ~0u});
    return open.settle(in, c, p);
  }
};

/// Lines that are in shared memory as a whole.
template <int Lines, class Store>
__device__ void solve_whole_lines(const shared_lines<Lines>& in, std::uint32_t* memory, int width,
                                  int lines_there, const Store& store) {
  using lines = shared_lines<Lines>;
  __shared__ int wanted_ends;
  const int lane = threadIdx.x % 32, l = lane / lines::lanes;
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const open_chunks<Lines> open(memory, (width + lines::chunk - 1) / lines::chunk);
  bool hopeful = true, all_settled = true;
  for (int c = warp; c < open.chunks; c += warps) {
    chunk_search<Lines> search(in, c * lines::chunk, width, lines_there);
    // Where groups were of no use they will be of none beside.
    const bool settled = search.settle(group_search<Lines>{hopeful ? 12 : 0, hopeful ? 6 : 0});
    hopeful = hopeful && settled;
    all_settled = all_settled && settled;
    if (lane == 0)
      open.reach[c] = settled ? 0 : static_cast<int>(sqrtf(static_cast<float>(search.worst))) + 2;
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

/// Rows from words: line l of the block is place `first` + l of the words' lines, all in one word.
template <int Lines>
__device__ void fill_from_words(const shared_lines<Lines>& to, const site_words& from, std::int64_t first,
                                std::int64_t row) {
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
        // One count of zeros either way for all lines; the others follow step by step.
        const std::uint32_t word = j ? words.y : words.x, here = word >> bit;
        const std::uint32_t up_to = word << (31 - bit), down_from = here >> (Lines - 1);
        int back[Lines], ahead[Lines];
        back[0] = up_to ? __clz(up_to) : bit + (j ? before.y : before.x);
        ahead[Lines - 1] = down_from ? __ffs(down_from) - 1 : 32 - Lines - bit + (j ? after.y : after.x);
#pragma unroll
        for (int l = 1; l < Lines; ++l) back[l] = here & (1u << l) ? 0 : back[l - 1] + 1;
#pragma unroll
        for (int l = Lines - 2; l >= 0; --l) ahead[l] = here & (1u << l) ? 0 : ahead[l + 1] + 1;
#pragma unroll
        for (int l = 0; l < Lines; ++l) (j ? squares[l].y : squares[l].x) = square(min(back[l], ahead[l]));
      }
    } else {
#pragma unroll
      for (int l = 0; l < Lines; ++l) squares[l] = {to.none, to.none};
    }
#pragma unroll
    for (int l = 0; l < Lines; ++l) *reinterpret_cast<uint2*>(to.value + l * stride + x) = squares[l];
  }
}

/// Four pixels side by side to the image. Every thread has one line.
template <class Finish>
struct store_row {
  using result = typename Finish::result;
  result* line;
  int width;  // 0 where the line is not there
  bool aligned;
  std::int64_t step_x;
  Finish finish;
  result one;

  __device__ store_row(const stacked_rows<result>& out, bool in_fours, std::int64_t place, std::int64_t row,
                       const Finish& by)
      : line(out.at(place, row)),
        width(place < out.length ? static_cast<int>(out.width) : 0),
        aligned(in_fours),
        step_x(out.step_x),
        finish(by),
        one(by(1)) {}

  __device__ void operator()(int, const line_places& p, bool tiny) const {
    alignas(16) result value[4];
    if (tiny) {
#pragma unroll
      for (int i = 0; i < 4; ++i) value[i] = p.d[i] ? one : result{0};
    } else {
      finish(p.d, value);
    }
    if (aligned && p.x + 4 <= width) {
      __stcs(reinterpret_cast<uint4*>(line + p.x), *reinterpret_cast<const uint4*>(value));
      return;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (p.x + i < width) line[(p.x + i) * step_x] = value[i];
  }
};

struct row_problem {
  site_words words;
  std::uint32_t none;
  /// Per group of four rows, whether windows did not suffice; null where there were no windows.
  std::uint8_t* flags;
  std::int64_t flags_per_row;
};

/// Whole rows. After windows, those only that are flagged.
template <int Lines, int Threads, class Finish>
__global__ __launch_bounds__(Threads,
                             1536 / Threads) void square_rows(row_problem problem,
                                                              stacked_rows<typename Finish::result> out,
                                                              bool aligned, Finish finish) {
  extern __shared__ __align__(16) std::uint32_t memory[];
  using lines = shared_lines<Lines>;
  const std::int64_t per_row = (out.length + Lines - 1) / Lines;
  const std::int64_t row = blockIdx.x / per_row, first = (blockIdx.x - row * per_row) * Lines;
  const int width = static_cast<int>(out.width);
  const lines in(memory, 0, (width + lines::unit - 1) / lines::unit * lines::unit, problem.none);
  in.fill_margins();
  let_next_start();
  wait_for_previous();
  if (problem.flags && !problem.flags[row * problem.flags_per_row + first / 4]) return;
  fill_from_words(in, problem.words, first, row);
  __syncthreads();
  in.find_least_of_groups();
  __syncthreads();
  const int there = static_cast<int>(min(std::int64_t{Lines}, out.length - first));
  solve_whole_lines(in, memory + lines::words(in.width), width, there,
                    store_row<Finish>(out, aligned, first + threadIdx.x % 32 / lines::lanes, row, finish));
}

/// Columns [begin, begin + Size) of four rows, with `Halo` columns more on either side: memory does not grow
/// with the width. Rows for which that is not enough are flagged.
template <int Size, int Halo, int Threads, class Finish>
__global__ __launch_bounds__(Threads, 5) void square_windows(row_problem problem,
                                                             stacked_rows<typename Finish::result> out,
                                                             bool aligned, Finish finish) {
  extern __shared__ __align__(16) std::uint32_t memory[];
  using lines = shared_lines<4>;
  const std::int64_t across = (out.width + Size - 1) / Size, down = blockIdx.x / across;
  const std::int64_t row = down / problem.flags_per_row, fours = down - row * problem.flags_per_row;
  const int whole = static_cast<int>((out.width + lines::unit - 1) / lines::unit * lines::unit);
  const int begin = static_cast<int>(blockIdx.x - down * across) * Size;
  const int first = max(0, begin - Halo), last = min(whole, begin + Size + Halo);
  const lines in(memory, first, last - first, problem.none);
  in.fill_margins();
  let_next_start();
  wait_for_previous();
  fill_from_words(in, problem.words, 4 * fours, row);
  __syncthreads();
  in.find_least_of_groups();
  __syncthreads();
  const int width = static_cast<int>(out.width), end = min(width, begin + Size);
  const int l = threadIdx.x % 32 / lines::lanes;
  const int there = static_cast<int>(min(std::int64_t{4}, out.length - 4 * fours));
  const store_row<Finish> store(out, aligned, 4 * fours + l, row, finish);
  for (int x = begin + threadIdx.x / 32 * lines::chunk; x < end; x += Threads / 32 * lines::chunk) {
    chunk_search<4> search(in, x, width, there);
    bool settled = search.settle({30, 12});
    if (settled && search.worst) {  // by groups: could columns outside be better?
      const int to_left = x - first + 1, to_right = last - (x + lines::chunk - 1);
      settled = (first == 0 || square(to_left) >= search.worst) &&
                (last == whole || square(to_right) >= search.worst);
    }
    if (!settled) {  // the whole row will be searched
      if (threadIdx.x % 32 == 0) problem.flags[row * problem.flags_per_row + fours] = 1;
      return;
    }
    store(l, search.p, search.tiny);
  }
}

/// The lines along y of a volume, in place or not: four columns to a block.
template <int Lines, int Threads, class Finish>
__global__ __launch_bounds__(Threads) void square_columns(view<const std::uint32_t> values,
                                                          bool values_aligned,
                                                          view<typename Finish::result> out, bool aligned,
                                                          std::uint32_t none, Finish finish) {
  extern __shared__ __align__(16) std::uint32_t memory[];
  using lines = shared_lines<Lines>;
  using result = typename Finish::result;
  const std::int64_t across = (out.width + Lines - 1) / Lines, z = blockIdx.x / across;
  const std::int64_t x = (blockIdx.x - z * across) * Lines;
  const int length = static_cast<int>(out.height);
  const int there = static_cast<int>(min(std::int64_t{Lines}, out.width - x));
  const lines in(memory, 0, (length + lines::unit - 1) / lines::unit * lines::unit, none);
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
  in.find_least_of_groups();
  __syncthreads();
  const int chunks = (length + lines::chunk - 1) / lines::chunk;
  std::uint32_t* const after = memory + lines::words(in.width);
  std::uint32_t* const solved = after + (open_chunks<Lines>::words(chunks) + 3) / 4 * 4;
  solve_whole_lines(in, after, length, there, [&](int l, const line_places& p, bool) {
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

// line and carry for any rule, for lines that fit a block's shared memory. A warp takes 32 places of a line.
// It searches some steps outwards, then groups of eight places by their lower bounds. This is exact for
// floats too, because rounding is monotonic.
#pragma once

#include <cstdint>
#include <limits>

#include "core/ceil_div.hpp"
#include "engines/cuda/line/line_set.cuh"
#include "engines/cuda/runtime/shared_memory.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

template <class Value>
__device__ Value lesser(Value a, Value b) {
  return b < a ? b : a;
}

template <class Value>
__device__ Value greatest_of_warp(Value value) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    const Value other = __shfl_xor_sync(0xffffffffu, value, apart);
    if (other > value) value = other;
  }
  return value;
}

/// A line in shared memory; every lane searches for one place of it.
template <class Rule>
struct block_line {
  using value_type = typename Rule::value;
  static constexpr int group = 8;

  const Rule& rule;
  const value_type* value;
  const value_type* least;  // of groups
  int length;

  MACAREU_HD static int groups(int length) { return ceil_div(length, group); }
  __device__ value_type bound(int g, int gap) const { return joined(rule.join(), least[g], rule.cost(gap)); }

  /// Returns false if this lane needs a longer search.
  __device__ bool search_outwards(int i, line_best<Rule>& best) const {
    constexpr int most_steps = tuning::steps_before_groups;
    for (int steps = 1; steps < length; ++steps) {
      const auto cost = rule.cost(steps);
      if (cost > best.value || cost > rule.limit()) break;
      if (steps > most_steps) return false;
      if (i >= steps) best.offer(joined(rule.join(), value[i - steps], cost), i - steps);
      if (i + steps < length) best.offer(joined(rule.join(), value[i + steps], cost), i + steps);
    }
    return true;
  }

  /// Searches for the open lanes of a warp whose first lane has place `first`.
  __device__ void search_groups(int first, int i, bool open, line_best<Rule>& best) const {
    constexpr unsigned whole_warp = 0xffffffffu;
    const int lane = static_cast<int>(threadIdx.x % 32), own = first / group, count = groups(length);
    const auto barrier = [&] { return open ? lesser(best.value, rule.limit()) : value_type{}; };
    auto worst = greatest_of_warp(barrier());
    for (int round = 0; own - 1 - 16 * round >= 0 || own + 16 * round < count; ++round) {
      if (rule.cost(max(0, 128 * round - 31)) > worst) return;
      // The nearest first, on both sides in turn.
      const int g = lane % 2 ? own - 1 - 16 * round - lane / 2 : own + 16 * round + lane / 2;
      const int gap = max(0, lane % 2 ? first - (group * g + group - 1) : group * g - (first + 31));
      unsigned chosen =
          __ballot_sync(whole_warp, g >= 0 && g < count && bound(max(0, min(g, count - 1)), gap) <= worst);
      for (; chosen; chosen &= chosen - 1) {
        const int at = __shfl_sync(whole_warp, g, __ffs(chosen) - 1) * group;
        const int apart = max(0, max(at - i, i - (at + group - 1)));
        const bool wanted = open && bound(at / group, apart) <= barrier();
        if (!__any_sync(whole_warp, wanted)) continue;
        if (wanted)
          for (int j = at; j < min(at + group, length); ++j)
            best.offer(joined(rule.join(), value[j], rule.cost(i < j ? j - i : i - j)), j);
        worst = greatest_of_warp(barrier());
      }
    }
  }
};

using tuning::block_line_threads;

/// A block takes `count` adjacent lines; 1 for lines along rows.
template <class Rule, class In, class Write>
__global__ __launch_bounds__(block_line_threads) void search_block_lines(line_set lines, int count, Rule rule,
                                                                         view<const In> in, Write write) {
  using value = typename Rule::value;
  extern __shared__ __align__(16) unsigned char block_memory[];
  const int length = static_cast<int>(lines.length), groups = block_line<Rule>::groups(length);
  value* const values = reinterpret_cast<value*>(block_memory);
  value* const least = values + count * length;
  const std::int64_t across = ceil_div(lines.width, count), plane = blockIdx.x / across;
  const std::int64_t column = (blockIdx.x - plane * across) * count;
  const int there = static_cast<int>(min(std::int64_t{count}, lines.width - column));
  const std::int64_t step = step_along(lines.axis, in);
  const site start = lines.start(plane, column, in.height);
  const In* const from = &in[start];
  for (int n = threadIdx.x; n < count * length; n += block_line_threads) {
    const int i = n / count, l = n - i * count;
    if (l < there) values[l * length + i] = rule.lift(from[i * step + l * in.step_x]);
  }
  __syncthreads();
  for (int n = threadIdx.x; n < there * groups; n += block_line_threads) {
    const int l = n / groups, first = (n - l * groups) * block_line<Rule>::group;
    value found = values[l * length + first];
    for (int j = first + 1; j < min(first + block_line<Rule>::group, length); ++j)
      found = lesser(found, values[l * length + j]);
    least[n] = found;
  }
  __syncthreads();
  const int chunks = ceil_div(length, 32);
  for (int n = threadIdx.x / 32; n < there * chunks; n += block_line_threads / 32) {
    const int l = n / chunks, first = (n - l * chunks) * 32, i = first + static_cast<int>(threadIdx.x % 32);
    const block_line<Rule> line{rule, values + l * length, least + l * groups, length};
    const bool inside = i < length;
    line_best<Rule> best{inside ? line.value[i] : value{}, i};
    const bool open = inside && !line.search_outwards(i, best);
    if (__any_sync(0xffffffffu, open)) line.search_groups(first, i, open, best);
    site p = moved_along(lines.axis, start, i);
    p.x += lines.axis == line_axis::x ? 0 : l;
    if (inside) write(p, best);
  }
}

/// Does nothing and returns false if lines are too long or too short for a block.
template <class Rule, class In, class Write>
bool run_block_lines(const gpu& on, const line_set& lines, const Rule& rule, const view<const In>& in,
                     const Write& write) {
  const int count = lines.axis == line_axis::x ? 1 : tuning::lines_of_a_block;
  const auto groups = ceil_div(lines.length, block_line<Rule>::group);
  const auto bytes = static_cast<std::size_t>(count * (lines.length + groups)) * sizeof(typename Rule::value);
  const auto blocks = ceil_div(lines.width, count) * lines.planes;
  if (count * lines.length < block_line_threads || bytes > shared_limit(on) ||
      blocks > std::numeric_limits<int>::max())
    return false;
  allow_shared_memory<search_block_lines<Rule, In, Write>>(on);
  search_block_lines<<<static_cast<unsigned>(blocks), block_line_threads, bytes, on.stream>>>(
      lines, count, rule, in, write);
  on.launched("search_block_lines");
  return true;
}

}  // namespace macareu::cuda

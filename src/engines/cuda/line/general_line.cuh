// line and carry for any rule and length. Lines that fit shared memory use block_line.cuh; otherwise a thread
// searches outwards for its pixel. Long searches on integers use halving instead: it finds the first best
// place of every 16th pixel (halving.cuh has the reason), and the pixels between search between those. So few
// sites cost little more than many.
#pragma once

#include <cstdint>
#include <type_traits>

#include "engines/cuda/line/block_line.cuh"
#include "engines/cuda/line/line_set.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

template <class Rule, class In>
struct line_reader {
  const Rule& rule;
  const In* first;
  std::int64_t step;

  __device__ line_reader(const Rule& by, line_axis axis, const view<const In>& in, const site& start)
      : rule(by), first(&in[start]), step(step_along(axis, in)) {}
  __device__ typename Rule::value at(std::int64_t i, std::int64_t j) const {
    return joined(rule.join(), rule.lift(first[j * step]), rule.cost(i < j ? j - i : i - j));
  }
  /// The best of [low, high], which is not empty, for place i.
  __device__ line_best<Rule> best(std::int64_t i, std::int64_t low, std::int64_t high, int stride = 1) const {
    line_best<Rule> found{at(i, low), low};
    for (std::int64_t j = low + stride; j <= high; j += stride) {
      const auto value = at(i, j);
      if (value < found.value) found = {value, j};
    }
    return found;
  }
};

/// A thread searches for one pixel, so that loads coalesce along every axis.
template <bool Halving, class Rule, class In, class Write>
__global__ void search_outwards(pixel_tiles tiles, line_set lines, Rule rule, view<const In> in,
                                Write write) {
  tiles.for_each_group<1>([&](site p, int) {
    const std::int64_t i = place_along(lines.axis, p), step = step_along(lines.axis, in);
    const In* const here = &in[p];
    line_best<Rule> best{rule.lift(*here), i};
    const auto offer = [&](std::int64_t j, typename Rule::value cost) {
      if (j >= 0 && j < lines.length)
        best.offer(joined(rule.join(), rule.lift(here[(j - i) * step]), cost), j);
    };
    for (std::int64_t steps = 1; steps <= i || i + steps < lines.length; ++steps) {
      const auto cost = rule.cost(steps);
      if (cost > best.value || cost > rule.limit()) break;
      if (Halving && steps > tuning::far_steps) {
        lines.open[lines.run_of(p, in.height)] = 1;  // all writers store the same value
        *lines.any_open = 1;
        return;
      }
      offer(i - steps, cost);
      offer(i + steps, cost);
    }
    write(p, best);
  });
}

/// Takes the ends at odd multiples of `step`, counted from one: a warp per end along rows, else a thread.
template <int Lanes, class Rule, class In>
__global__ void halve_lines(line_set lines, std::int64_t step, Rule rule, view<const In> in) {
  if (!*lines.any_open) return;
  const int lane = static_cast<int>(threadIdx.x % Lanes);
  const std::int64_t count = (lines.ends - step) / (2 * step) + 1, all = lines.planes * count * lines.width;
  for (std::int64_t n = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / Lanes; n < all;
       n += std::int64_t{gridDim.x} * blockDim.x / Lanes) {
    const std::int64_t rest = n / lines.width, column = n - rest * lines.width;
    const std::int64_t plane = rest / count, end = (rest - plane * count) * 2 * step + step - 1;
    const auto place_of = [&](std::int64_t e) {
      return std::int64_t{lines.place[lines.run_of(plane, column, e)]};
    };
    const std::int64_t low = end >= step ? place_of(end - step) : 0;
    const std::int64_t high = end + step < lines.ends ? place_of(end + step) : lines.length - 1;
    const std::int64_t i = min(end * lines.spacing, lines.length - 1);
    const line_reader<Rule, In> line(rule, lines.axis, in, lines.start(plane, column, in.height));
    auto best = line.best(i, min(low + lane, high), high, Lanes);
    for (int apart = Lanes / 2; apart > 0; apart /= 2)
      best.offer(__shfl_xor_sync(0xffffffffu, best.value, apart),
                 __shfl_xor_sync(0xffffffffu, best.place, apart));
    if (lane == 0) lines.place[lines.run_of(plane, column, end)] = static_cast<std::int32_t>(best.place);
  }
}

template <class Rule, class In, class Write>
__global__ void settle_between(pixel_tiles tiles, line_set lines, Rule rule, view<const In> in, Write write) {
  if (!*lines.any_open) return;
  tiles.for_each_group<1>([&](site p, int) {
    const std::int64_t run = lines.run_of(p, in.height);
    if (!lines.open[run]) return;
    const line_reader<Rule, In> line(rule, lines.axis, in, moved_along(lines.axis, p, 0));
    write(p, line.best(place_along(lines.axis, p), lines.place[run], lines.place[run + lines.width]));
  });
}

template <class Rule, class In, class Write>
void run_general_line(const gpu& on, const Rule& rule, line_axis axis, const view<const In>& in,
                      const Write& write) {
  if (in.pixels() == 0) return;
  line_set lines(axis, in);
  if (run_block_lines(on, lines, rule, in, write)) return;
  const pixel_tiles tiles(in, 1);
  const auto blocks = tiles.blocks(on);
  constexpr bool halving = !std::is_floating_point_v<typename Rule::value>;
  if constexpr (!halving) {
    search_outwards<false><<<blocks, tiles.threads, 0, on.stream>>>(tiles, lines, rule, in, write);
    on.launched("search_outwards");
  } else {
    const device_array<std::int32_t> places(on, lines.runs());
    const device_array<std::uint8_t> open(on, lines.runs() + 8);
    open.fill_bytes(0);
    lines.place = places.data();
    lines.open = open.data() + 8;
    lines.any_open = reinterpret_cast<std::uint32_t*>(open.data());
    search_outwards<true><<<blocks, tiles.threads, 0, on.stream>>>(tiles, lines, rule, in, write);
    on.launched("search_outwards");
    std::int64_t step = 1;
    while (2 * step <= lines.ends) step *= 2;
    const int halving_blocks = tuning::halving_blocks * on.multiprocessors;
    for (; step > 0; step /= 2) {
      if (axis == line_axis::x)
        halve_lines<32><<<halving_blocks, tiles.threads, 0, on.stream>>>(lines, step, rule, in);
      else
        halve_lines<1><<<halving_blocks, tiles.threads, 0, on.stream>>>(lines, step, rule, in);
      on.launched("halve_lines");
    }
    settle_between<<<blocks, tiles.threads, 0, on.stream>>>(tiles, lines, rule, in, write);
    on.launched("settle_between");
  }
}

}  // namespace macareu::cuda

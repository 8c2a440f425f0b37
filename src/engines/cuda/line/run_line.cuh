// line and carry on the GPU.
#pragma once

#include "core/ceil_div.hpp"
#include "engines/cuda/line/fused_squares.cuh"
#include "engines/cuda/line/general_line.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

/// Calls write(place, row, x, steps back to a site, steps ahead to a site) for every pixel. A thread takes
/// one column of a word. Without a site, steps are at least `most_beyond`.
template <class Write>
__global__ void visit_steps(site_words words, std::int64_t width, Write write) {
  const std::int64_t across = ceil_div(width, blockDim.x), line = blockIdx.x / across;
  const std::int64_t k = line / words.rows, row = line - k * words.rows;
  const std::int64_t x = (blockIdx.x - line * across) * blockDim.x + threadIdx.x;
  wait_for_previous();
  if (x >= width) return;
  const std::int64_t at = k * words.plane + row * words.pitch + x;
  const std::uint32_t word = words.word[at], before = words.before[at], after = words.after[at];
  for (int b = 0; b < 32 && k * 32 + b < words.length; ++b) {
    const std::uint32_t up_to = word << (31 - b), from = word >> b;
    const std::uint32_t back = up_to ? __clz(up_to) : b + before,
                        ahead = from ? __ffs(from) - 1 : 31 - b + after;
    write(k * 32 + b, row, x, back, ahead);
  }
}

struct write_steps {
  std::uint32_t none;
  stacked_rows<std::uint16_t> out;
  __device__ void operator()(std::int64_t i, std::int64_t row, std::int64_t x, std::uint32_t back,
                             std::uint32_t ahead) const {
    out.at(i, row)[x * out.step_x] = static_cast<std::uint16_t>(min(min(back, ahead), none));
  }
};

/// In a tie the site behind wins, because it comes first.
template <class Carried>
struct carry_from_site {
  std::uint32_t none;
  Carried nothing;
  stacked_rows<Carried> out;
  stacked_rows<const Carried> carried;
  __device__ void operator()(std::int64_t i, std::int64_t row, std::int64_t x, std::uint32_t back,
                             std::uint32_t ahead) const {
    const std::int64_t from = back <= ahead ? i - back : i + ahead;
    out.at(i, row)[x * out.step_x] =
        min(back, ahead) >= none ? nothing : carried.at(from, row)[x * carried.step_x];
  }
};

/// Whether words suffice to count steps.
template <class In>
bool words_suffice(line_axis axis, const view<const In>& in) {
  return axis != line_axis::x && length_along(axis, in) <= longest_word_line && in.pixels() > 0;
}

template <class Rule, class In, class Write>
void run_steps(const gpu& on, const Rule& rule, line_axis axis, const view<const In>& in,
               const Write& write) {
  constexpr int threads = tuning::step_threads;
  const site_memory sites(on, axis, in);
  run_pack(on, rule, axis, in, sites.words());
  run_carries(on, sites.words(), most_beyond, nullptr, 0);
  const auto blocks = ceil_div(in.width, threads) * sites.words().rows * sites.words().count;
  launch_dependent(on, "visit_steps", visit_steps<Write>, static_cast<unsigned>(blocks), threads, 0,
                   sites.words(), in.width, write);
}

template <class Rule, class Out, class In>
void run_line(const gpu& on, const Rule& rule, line_axis axis, const view<Out>& out,
              const view<const In>& in) {
  if constexpr (counts_short_steps<Rule> && std::is_same_v<Out, std::uint16_t>)
    if (words_suffice(axis, in))
      return run_steps(on, rule, axis, in, write_steps{rule.result(rule.limit() + 1), {axis, out}});
  run_general_line(on, rule, axis, in, write_result<Rule, Out>{rule, out});
}

template <class Rule, class Carried, class In>
void run_carry(const gpu& on, const Rule& rule, line_axis axis, Carried nothing, const view<Carried>& out,
               const view<const In>& in, const view<const Carried>& carried) {
  if constexpr (counts_short_steps<Rule>)
    if (words_suffice(axis, in))
      return run_steps(
          on, rule, axis, in,
          carry_from_site<Carried>{rule.result(rule.limit() + 1), nothing, {axis, out}, {axis, carried}});
  run_general_line(on, rule, axis, in, write_carried<Rule, Carried>{rule, axis, nothing, out, carried});
}

}  // namespace macareu::cuda

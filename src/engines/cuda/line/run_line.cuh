// line and carry on the GPU.
#pragma once

#include "engines/cuda/line/fused_squares.cuh"
#include "engines/cuda/line/general_line.cuh"

namespace macareu::cuda {

/// Steps from words: a thread writes one column of a word.
template <class Rule>
__global__ void write_steps(Rule rule, site_words words, stacked_rows<std::uint16_t> out) {
  const std::int64_t across = (out.width + blockDim.x - 1) / blockDim.x, line = blockIdx.x / across;
  const std::int64_t k = line / out.rows, row = line - k * out.rows;
  const std::int64_t x = (blockIdx.x - line * across) * blockDim.x + threadIdx.x;
  wait_for_previous();
  if (x >= out.width) return;
  const std::int64_t at = k * words.plane + row * words.pitch + x;
  const std::uint32_t word = words.word[at], before = words.before[at], after = words.after[at];
  const std::uint32_t none = rule.result(rule.limit() + 1);
  for (int b = 0; b < 32 && k * 32 + b < out.length; ++b) {
    const std::uint32_t up_to = word << (31 - b), from = word >> b;
    const std::uint32_t back = up_to ? __clz(up_to) : b + before,
                        ahead = from ? __ffs(from) - 1 : 31 - b + after;
    out.at(k * 32 + b, row)[x * out.step_x] = static_cast<std::uint16_t>(min(min(back, ahead), none));
  }
}

template <class Rule, class Out, class In>
void run_line(const gpu& on, const Rule& rule, line_axis axis, const view<Out>& out,
              const view<const In>& in) {
  if constexpr (counts_short_steps<Rule> && std::is_same_v<Out, std::uint16_t>)
    if (axis != line_axis::x && length_along(axis, in) <= longest_word_line && in.pixels() > 0) {
      constexpr int threads = 128;
      const site_memory sites(on, axis, in);
      run_pack(on, rule, axis, in, sites.words());
      run_carries(on, sites.words(), most_beyond, nullptr, 0);
      const stacked_rows<std::uint16_t> rows(axis, out);
      const auto blocks = (rows.width + threads - 1) / threads * rows.rows * sites.words().count;
      launch_dependent(on, "write_steps", write_steps<Rule>, static_cast<unsigned>(blocks), threads, 0, rule,
                       sites.words(), rows);
      return;
    }
  run_general_line(on, rule, axis, in, write_result<Rule, Out>{rule, out});
}

template <class Rule, class Carried, class In>
void run_carry(const gpu& on, const Rule& rule, line_axis axis, Carried nothing, const view<Carried>& out,
               const view<const In>& in, const view<const Carried>& carried) {
  run_general_line(on, rule, axis, in, write_carried<Rule, Carried>{rule, axis, nothing, out, carried});
}

}  // namespace macareu::cuda

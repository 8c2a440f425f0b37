// Strategy sweep (Karas 2011): line sweeps over the whole image until a round changes nothing.
//
// A round sweeps every axis forwards and backwards, one thread per line. With face neighbours a sweep
// propagates states along its line. Diagonal neighbours belong to the sweep along the slowest axis in which
// they differ. It takes offers from the whole slab behind it. So a round covers every offer.
//
// No update is lost: within a launch only a line's thread writes its pixels, every write improves them, and
// launches are ordered. A slab sweep reads neighbouring lines with relaxed loads while their threads write
// them. It sees the state before or after a write, and both are valid. A round without a change has seen
// every pixel's present state, so no offer is left.
//
// Cost: about 2 reads and a write of the image per sweep, in as many dependent steps as a line has pixels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/published/improve.cuh"
#include "engines/cuda/wave/published/rule_inputs.cuh"

namespace macareu::cuda {

/// Lines along an axis. Axes are numbered from the fastest: x, y, z.
struct image_lines {
  std::int64_t depth, height, width;
  int axis, sign;

  MACAREU_HD std::int64_t length() const { return axis == 0 ? width : axis == 1 ? height : depth; }
  MACAREU_HD std::int64_t count() const { return depth * height * width / length(); }
  MACAREU_HD site first(std::int64_t line) const {
    const std::int64_t start = sign > 0 ? 0 : length() - 1;
    if (axis == 0) return {line / height, line % height, start};
    if (axis == 1) return {line / width, start, line % width};
    return {start, line / width, line % width};
  }
  MACAREU_HD site step(site p) const {
    return {p.z + (axis == 2 ? sign : 0), p.y + (axis == 1 ? sign : 0), p.x + (axis == 0 ? sign : 0)};
  }
};

/// Reads a batch, then writes it if anything changed: no memory access lies inside the dependency chain.
template <int Batch, class Rule, class State, class... In>
__device__ bool sweep_line(const image_lines& lines, const Rule& rule, site& p, State& carried,
                           std::int64_t& left, const view<State>& state, const view<const In>&... in) {
  bool moved = false;
  for (; left >= Batch; left -= Batch) {
    State held[Batch];
    inputs_at<In...> inputs[Batch];
    site q = p;
#pragma unroll
    for (int k = 0; k < Batch; ++k) {
      q = lines.step(q);
      held[k] = state[q];
      inputs[k] = read_inputs(q, in...);
    }
    const site first = lines.step(p);
    bool changed = false;
#pragma unroll
    for (int k = 0; k < Batch; ++k) {
      q = lines.step(p);
      changed |= take(rule, held[k], carried, p, q, inputs[k]);
      carried = held[k];
      p = q;
    }
    if (!changed) continue;
    moved = true;
    q = first;
#pragma unroll
    for (int k = 0; k < Batch; ++k, q = lines.step(q)) state[q] = held[k];
  }
  return moved;
}

template <class Rule, class State, class... In>
__global__ void sweep_lines(image_lines lines, Rule rule, int* changed, view<State> state,
                            view<const In>... in) {
  const std::int64_t line = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (line >= lines.count()) return;
  site p = lines.first(line);
  State carried = state[p];
  std::int64_t left = lines.length() - 1;
  bool moved = sweep_line<tuning::line_pixels_at_once>(lines, rule, p, carried, left, state, in...);
  moved |= sweep_line<1>(lines, rule, p, carried, left, state, in...);
  if (moved) relaxed_store(changed, 1);
}

/// Offers of the slab behind q, along the lines' axis.
template <class Rule, class State, class... In>
__device__ bool take_from_slab(const image_lines& lines, const Rule& rule, const neighbourhood& near, site q,
                               State& held, const view<State>& state, const view<const In>&... in) {
  const auto inputs = read_inputs(q, in...);
  const int behind = -lines.sign;
  bool moved = false;
  for (int dy = lines.axis == 2 ? -1 : behind; dy <= (lines.axis == 2 ? 1 : behind); ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int dz = lines.axis == 2 ? behind : 0;
      const site p{q.z + dz, q.y + dy, q.x + dx};
      if (near.contains(dz, dy, dx) && state.contains(p))
        moved |= take(rule, held, relaxed_load(&state[p]), p, q, inputs);
    }
  return moved;
}

template <class Rule, class State, class... In>
__global__ void sweep_slabs(image_lines lines, Rule rule, neighbourhood near, int* changed, view<State> state,
                            view<const In>... in) {
  const std::int64_t line = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (line >= lines.count()) return;
  bool moved = false;
  site q = lines.first(line);
  for (std::int64_t i = 1; i < lines.length(); ++i) {
    q = lines.step(q);
    State held = relaxed_load(&state[q]);
    if (!take_from_slab(lines, rule, near, q, held, state, in...)) continue;
    relaxed_store(&state[q], held);
    moved = true;
  }
  if (moved) relaxed_store(changed, 1);
}

/// The state already holds the start. Runs to the fixed point; report: rounds, passes (sweeps).
template <class Rule, class State, class... In>
void sweep(const gpu& on, const Rule& rule, const neighbourhood& near, view<State> state,
           view<const In>... in) {
  if (state.pixels() == 0) return;
  constexpr int threads = tuning::sweep_threads;
  const device_array<int> changed(on, 1);
  auto& report = on.work.report;
  report.rounds = report.passes = 0;
  do {
    on.work.check_stop();
    changed.fill_bytes(0);
    for (const int sign : {1, -1})
      for (int axis = 0; axis < near.rank; ++axis) {
        const image_lines lines{state.depth, state.height, state.width, axis, sign};
        const auto blocks = static_cast<unsigned>((lines.count() + threads - 1) / threads);
        if (axis > 0 && near.reach > 1)
          sweep_slabs<<<blocks, threads, 0, on.stream>>>(lines, rule, near, changed.data(), state, in...);
        else
          sweep_lines<<<blocks, threads, 0, on.stream>>>(lines, rule, changed.data(), state, in...);
        on.launched("sweep");
        ++report.passes;
      }
    ++report.rounds;
  } while (fetch(on, changed.data()) != 0);
}

}  // namespace macareu::cuda

#include "engines/cuda/wave/published/paper_strategies.cuh"

#include <algorithm>

#include "core/ceil_div.hpp"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/published/diagonal.cuh"
#include "engines/cuda/wave/published/keyed_flood.cuh"
#include "engines/cuda/wave/published/megapixel.cuh"
#include "engines/cuda/wave/published/queue.cuh"
#include "engines/cuda/wave/published/sweep.cuh"

namespace macareu::cuda {
namespace {

/// state[p] = value(p), pixel by pixel: value(p) may read state[p].
template <class Key, class Value>
__global__ void write_states(view<Key> state, Value value) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < state.pixels();
       i += threads) {
    const std::int64_t row = i / state.width;
    const site p{row / state.height, row % state.height, i % state.width};
    state[p] = value(p);
  }
}

template <class Key, class Value>
void write(const gpu& on, const view<Key>& state, const Value& value) {
  const auto blocks = std::min<std::int64_t>(ceil_div(state.pixels(), tuning::state_threads),
                                             std::int64_t{tuning::state_blocks} * on.multiprocessors);
  write_states<<<static_cast<unsigned>(blocks), tuning::state_threads, 0, on.stream>>>(state, value);
  on.launched("write_states");
}

template <class Key>
struct clipped_start {
  bottleneck_problem<Key> problem;
  __device__ Key operator()(site p) const { return problem.start_at(p); }
};

template <class Key>
struct bits_of_keys {
  bottleneck_problem<Key> problem;
  __device__ Key operator()(site p) const { return problem.map.bits(problem.state[p]); }
};

template <class Key>
void flood(paper_strategy which, const gpu& on, const bottleneck_problem<Key>& problem) {
  const keyed_flood<Key> rule{problem.map};
  switch (which) {
    case paper_strategy::sweep:
      return sweep(on, rule, problem.near, problem.state, problem.capacity);
    case paper_strategy::queue:
      return queue(on, rule, problem.near, problem.state, problem.capacity);
    case paper_strategy::megapixel:
      return megapixel(on, rule, problem.near, problem.state, problem.capacity);
    case paper_strategy::diagonal:
      return diagonal(on, rule, problem.near, problem.state, problem.capacity);
  }
}

}  // namespace

template <class Key>
void run_paper_strategy(paper_strategy which, const gpu& on, const bottleneck_problem<Key>& problem) {
  if (which == paper_strategy::diagonal) refuse_volumes(problem.near);
  if (problem.state.pixels() == 0) return;
  write(on, problem.state, clipped_start<Key>{problem});
  flood(which, on, problem);
  if (problem.map.flip != 0 || problem.map.floating) write(on, problem.state, bits_of_keys<Key>{problem});
}

template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint8_t>&);
template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint16_t>&);
template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint32_t>&);
template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint64_t>&);

}  // namespace macareu::cuda

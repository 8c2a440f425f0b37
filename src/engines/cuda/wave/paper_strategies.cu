#include "engines/cuda/wave/paper_strategies.cuh"

#include <algorithm>

#include "engines/cuda/wave/diagonal.cuh"
#include "engines/cuda/wave/keyed_flood.cuh"
#include "engines/cuda/wave/megapixel.cuh"
#include "engines/cuda/wave/queue.cuh"
#include "engines/cuda/wave/sweep.cuh"

namespace macareu::cuda {
namespace {

template <class Key>
__global__ void write_clipped_start(bottleneck_problem<Key> problem) {
  const auto& state = problem.state;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < state.pixels(); i += threads) {
    const std::int64_t row = i / state.width;
    const site p{row / state.height, row % state.height, i % state.width};
    state[p] = problem.map.bits(problem.start_at(p));
  }
}

}  // namespace

template <class Key>
void run_paper_strategy(paper_strategy which, const gpu& on, const bottleneck_problem<Key>& problem) {
  if (problem.state.pixels() == 0) return;
  const std::int64_t blocks = std::min<std::int64_t>((problem.state.pixels() + 255) / 256, 16 * on.multiprocessors);
  write_clipped_start<<<static_cast<unsigned>(blocks), 256, 0, on.stream>>>(problem);
  on.launched("write_clipped_start");
  const keyed_flood<Key> rule{problem.map};
  switch (which) {
    case paper_strategy::sweep: return sweep(on, rule, problem.near, problem.state, problem.capacity);
    case paper_strategy::queue: return queue(on, rule, problem.near, problem.state, problem.capacity);
    case paper_strategy::megapixel: return megapixel(on, rule, problem.near, problem.state, problem.capacity);
    case paper_strategy::diagonal: return diagonal(on, rule, problem.near, problem.state, problem.capacity);
  }
}

template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint8_t>&);
template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint16_t>&);
template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint32_t>&);
template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint64_t>&);

}  // namespace macareu::cuda

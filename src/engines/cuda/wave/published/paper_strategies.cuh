// The strategies of the papers on irregular wave fronts, as baselines for bottleneck waves.
#pragma once

#include <cstdint>

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

enum class paper_strategy { sweep, queue, megapixel, diagonal };

template <class Key>
void run_paper_strategy(paper_strategy which, const gpu& on, const bottleneck_problem<Key>& problem);

extern template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint8_t>&);
extern template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint16_t>&);
extern template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint32_t>&);
extern template void run_paper_strategy(paper_strategy, const gpu&, const bottleneck_problem<std::uint64_t>&);

}  // namespace macareu::cuda

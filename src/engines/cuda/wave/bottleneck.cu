#include "engines/cuda/wave/bottleneck.cuh"

#include <macareu/error.hpp>

#include "engines/cuda/wave/contraction.cuh"
#include "engines/cuda/wave/paper_strategies.cuh"
#include "engines/cuda/wave/tiles.cuh"

namespace macareu::cuda {
namespace {

/// Contraction takes the same time whatever the wave's path, and tiles less where paths are short.
template <class Key>
void tiles_then_contraction(const gpu& on, bottleneck_problem<Key> problem) {
  const auto outcome = run_tiles(on, problem, tile_patience::bounded);
  if (outcome == tile_outcome::settled) {
    on.work.report.strategy = "tiles";
    return;
  }
  if (outcome == tile_outcome::long_wave) problem.start = problem.state;
  on.work.report.strategy = outcome == tile_outcome::long_wave ? "tiles, then contraction" : "contraction";
  try {
    contract(on, problem);
  } catch (const device_error&) {  // it needs several times the memory; nothing is written yet
    on.work.report.strategy = "tiles";
    run_tiles(on, problem, tile_patience::endless);
  }
}

paper_strategy paper_strategy_named(const std::string& name) {
  if (name == "sweep") return paper_strategy::sweep;
  if (name == "queue") return paper_strategy::queue;
  if (name == "megapixel") return paper_strategy::megapixel;
  if (name == "diagonal") return paper_strategy::diagonal;
  throw internal_error("cuda: no such wave strategy: " + name);
}

}  // namespace

template <class Key>
void run_bottleneck(const gpu& on, const bottleneck_problem<Key>& problem) {
  const auto& strategy = on.work.how.strategy;
  if (strategy == "auto") return tiles_then_contraction(on, problem);
  if (strategy == "tiles")
    run_tiles(on, problem, tile_patience::endless);
  else if (strategy == "contraction")
    contract(on, problem);
  else
    run_paper_strategy(paper_strategy_named(strategy), on, problem);
  on.work.report.strategy = strategy;
}

template void run_bottleneck(const gpu&, const bottleneck_problem<std::uint8_t>&);
template void run_bottleneck(const gpu&, const bottleneck_problem<std::uint16_t>&);
template void run_bottleneck(const gpu&, const bottleneck_problem<std::uint32_t>&);
template void run_bottleneck(const gpu&, const bottleneck_problem<std::uint64_t>&);

}  // namespace macareu::cuda

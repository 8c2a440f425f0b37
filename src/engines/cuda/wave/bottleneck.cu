#include "engines/cuda/wave/bottleneck.cuh"

#include <macareu/error.hpp>

#include "engines/cuda/runtime/check.hpp"
#include "engines/cuda/runtime/shared_memory.cuh"
#include "engines/cuda/wave/contraction.cuh"
#include "engines/cuda/wave/published/paper_strategies.cuh"
#include "engines/cuda/wave/tiles.cuh"

namespace macareu::cuda {
namespace {

/// False if the call threw `Refusal`. The state is then unchanged.
template <class Refusal, class Call>
bool fits(Call&& call) {
  try {
    call();
    return true;
  } catch (const Refusal&) {
    return false;
  }
}

/// Tiles are faster where paths are short; the time of contraction does not depend on paths. Contraction
/// needs several times the memory. Some tile kernels need more shared memory than every GPU has.
template <class Key>
bool tiles_then_contraction(const gpu& on, const bottleneck_problem<Key>& problem) {
  auto& report = on.work.report;
  auto rest = problem;
  rest.start = problem.state;
  bool contraction_fits = true;
  tile_result reached{};
  const bool tiles_fit = fits<too_little_shared_memory>([&] {
    reached =
        run_tiles(on, problem, [&] { contraction_fits = fits<too_large>([&] { contract(on, rest); }); });
  });
  if (!tiles_fit) {
    report.strategy = "contraction";
    return contract(on, problem);
  }
  report.strategy = reached.settled || !contraction_fits ? "tiles" : "tiles, then contraction";
  if (!contraction_fits) {
    run_tiles(on, rest);
    report.note = "cuda: no room for strategy contraction; computed with tiles alone, which may take long";
  }
  return reached.within;
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
bool run_bottleneck(const gpu& on, const bottleneck_problem<Key>& problem) {
  const auto& strategy = on.work.how.strategy;
  if (strategy == "auto") return tiles_then_contraction(on, problem);
  on.work.report.strategy = strategy;
  if (strategy == "tiles") return run_tiles(on, problem).within;
  if (strategy == "contraction") return contract(on, problem);
  run_paper_strategy(paper_strategy_named(strategy), on, problem);
  return false;
}

template <class Key>
bool contract_from_border(const gpu& on, const bottleneck_problem<Key>& problem) {
  const auto& strategy = on.work.how.strategy;
  if (problem.near.rank != 2 || (strategy != "auto" && strategy != "contraction")) return false;
  const bool contracted = fits<too_large>([&] { contract(on, problem); });
  if (contracted) on.work.report.strategy = "contraction";
  return contracted;
}

template bool run_bottleneck(const gpu&, const bottleneck_problem<std::uint8_t>&);
template bool run_bottleneck(const gpu&, const bottleneck_problem<std::uint16_t>&);
template bool run_bottleneck(const gpu&, const bottleneck_problem<std::uint32_t>&);
template bool run_bottleneck(const gpu&, const bottleneck_problem<std::uint64_t>&);
template bool contract_from_border(const gpu&, const bottleneck_problem<std::uint8_t>&);
template bool contract_from_border(const gpu&, const bottleneck_problem<std::uint16_t>&);
template bool contract_from_border(const gpu&, const bottleneck_problem<std::uint32_t>&);
template bool contract_from_border(const gpu&, const bottleneck_problem<std::uint64_t>&);

}  // namespace macareu::cuda

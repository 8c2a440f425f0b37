// General wave rules on the GPU, by the strategies of the papers, which serve every rule.
#pragma once

#include <string>

#include <macareu/error.hpp>

#include "engines/cuda/wave/published/diagonal.cuh"
#include "engines/cuda/wave/published/megapixel.cuh"
#include "engines/cuda/wave/published/queue.cuh"
#include "engines/cuda/wave/published/sweep.cuh"

namespace macareu::cuda {

/// The state already holds the start.
template <class Rule, class State, class... In>
void run_general(const gpu& on, const Rule& rule, const neighbourhood& near, const view<State>& state,
                 const view<const In>&... in) {
  const auto& asked = on.work.how.strategy;
  const std::string strategy = asked == "auto" ? "megapixel" : asked;
  if (strategy == "megapixel")
    megapixel(on, rule, near, state, in...);
  else if (strategy == "queue")
    queue(on, rule, near, state, in...);
  else if (strategy == "sweep")
    sweep(on, rule, near, state, in...);
  else if (strategy == "diagonal")
    diagonal(on, rule, near, state, in...);
  else
    throw usage_error(
        "strategy '" + strategy +
        "' supports only bottleneck rules on cuda; for this rule use megapixel, queue, sweep or diagonal");
  on.work.report.strategy = strategy;
}

}  // namespace macareu::cuda

// Bottleneck waves on the cpu, with the strategies `tiles`, `contraction` and `auto`. `auto` starts with
// tiles and switches to contraction when the wave proves long. It solves binary waves by runs.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "core/call.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cpu/wave/binary.hpp"
#include "engines/cpu/wave/wave_image.hpp"
#include "engines/cpu/wave/wave_kernels.hpp"

namespace macareu::cpu {

inline std::vector<std::string_view> wave_strategies() { return {"tiles", "contraction"}; }

template <class Rule, class State, class Start, class... In>
void bottleneck_wave(job& work, const Rule& rule, const neighbourhood& near, view<State> state,
                     const Start& start, view<const In>... in) {
  if constexpr (is_binary<Rule>)
    if (work.how.strategy == "auto" && binary_wave(work, rule, near, state, start, in...)) return;
  using key = key_of<State>;
  const auto run = best_wave_kernels<key>().run;
  if constexpr (capacity_is_input<Rule> && start_is_input<decltype(start.rule)>)
    run(work, near,
        given_image<key>(state, std::get<0>(start.in).pixels(), in...,
                         key_code_of<Rule::algebra::toward, State>()));
  else
    run(work, near, rule_image<Rule, State, Start, In...>(rule, state, start, in...));
}

}  // namespace macareu::cpu

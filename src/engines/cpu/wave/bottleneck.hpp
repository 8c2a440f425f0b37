// Bottleneck waves on the cpu, with the strategies `tiles`, `contraction` and `auto`. `auto` starts with
// tiles and switches to contraction when the wave proves long. It solves binary waves by runs.
#pragma once

#include <string_view>
#include <vector>

#include "core/call.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cpu/wave/binary.hpp"
#include "engines/cpu/wave/wave_image.hpp"

namespace macareu::cpu {

inline std::vector<std::string_view> wave_strategies() { return {"tiles", "contraction"}; }

/// For 8, 16, 32 and 64-bit keys.
template <class Key>
void run_bottleneck(job& work, const neighbourhood& near, const wave_image<Key>& image);

template <class Rule, class State, class Start, class... In>
void bottleneck_wave(job& work, const Rule& rule, const neighbourhood& near, view<State> state,
                     const Start& start, view<const In>... in) {
  if constexpr (is_binary<Rule>)
    if (work.how.strategy == "auto" && binary_wave(work, rule, near, state, start, in...)) return;
  run_bottleneck<key_of<State>>(work, near, rule_image<Rule, State, Start, In...>(rule, state, start, in...));
}

}  // namespace macareu::cpu

// Part of the kernels, which are compiled once per instruction set. A block of pixels searches k steps both
// ways, for growing k, until the cost of k steps is not below any of its values.
#pragma once

#include <cstdint>

#include "engines/cpu/line/envelope.hpp"
#include "engines/cpu/runtime/simd.hpp"
#include "engines/cpu/tuning.hpp"

namespace macareu::cpu {
namespace {

using tuning::steps_between_tests;

template <line_join Join, class V>
[[gnu::always_inline]] inline V with_cost(V value, V cost) {
  return Join == line_join::sum ? value + cost : max(value, cost);
}

template <class Value>
[[gnu::always_inline]] inline bool any_above(vec<Value> values, Value bound) {
  return any<Value>((vec<Value>)(values > all_lanes(bound)));
}

/// Returns false where the search would be long. `best` then holds the values found so far.
template <class Value, line_join Join, std::int64_t Block>
bool search_outwards(const envelope<Value>& e, std::int64_t x) {
  constexpr int lanes = simd<Value>::lanes, parts = Block / lanes;
  vec<Value> best[parts];
  for (int i = 0; i < parts; ++i) best[i] = load(e.value + x + i * lanes);
  const bool far_ahead = e.ordered && e.cost[far_steps] < e.limit;
  bool done = true;
  for (std::int64_t k = 1; k < e.size && e.cost[k] <= e.limit; k += steps_between_tests) {
    vec<Value> farthest = best[0];
    for (int i = 1; i < parts; ++i) farthest = max(farthest, best[i]);
    if (!any_above<Value>(farthest, e.cost[k])) break;
    if (far_ahead && k > tuning::steps_before_far_test && any_above<Value>(farthest, e.cost[far_steps])) {
      done = false;
      break;
    }
    for (std::int64_t s = k; s < k + steps_between_tests; ++s) {
      const vec<Value> cost = all_lanes(e.cost[s]);
      for (int i = 0; i < parts; ++i) {
        const Value* const here = e.value + x + i * lanes;
        best[i] = min(best[i], with_cost<Join>(min(load(here - s), load(here + s)), cost));
      }
    }
  }
  for (int i = 0; i < parts; ++i) store(e.best + x + i * lanes, best[i]);
  return done;
}

}  // namespace
}  // namespace macareu::cpu

// General wave rules on the cpu (the pixel queue of paper 1): fronts of pixels, updated by atomic compare and
// exchange.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/call.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/tuning.hpp"
#include "patterns/wave.hpp"

namespace macareu::cpu {

/// A rule that is not confluent runs on one thread, in the serial engine's order.
template <class Rule, class State, class Start, class... In>
void general_wave(job& work, const Rule& rule, const neighbourhood& near, view<State> state,
                  const Start& start, view<const In>... in) {
  static_assert(std::atomic_ref<State>::is_always_lock_free);
  const int threads = Rule::confluent ? threads_for(state.pixels(), work.how.threads) : 1;
  const auto site_of = [&](std::int64_t i) {
    return site{i / state.width / state.height, i / state.width % state.height, i % state.width};
  };
  const auto improve = [&](site q, State offer) {
    std::atomic_ref<State> cell(state[q]);
    State now = cell.load(std::memory_order_relaxed);
    while (rule.better(offer, now, q))
      if (cell.compare_exchange_weak(now, offer, std::memory_order_relaxed)) return true;
    return false;
  };
  const auto spread_from = [&](std::int64_t i, std::vector<std::int64_t>& next) {
    const site p = site_of(i);
    const State mine = std::atomic_ref<State>(state[p]).load(std::memory_order_relaxed);
    near.for_each(p, [&](site q) {
      if (state.contains(q) && improve(q, rule.offer(mine, p, q, in[q]...)))
        next.push_back((q.z * state.height + q.y) * state.width + q.x);
    });
  };

  const auto gives = [&](std::int64_t i) {
    const site p = site_of(i);
    bool any = false;
    near.for_each(p, [&](site q) {
      any = any || (state.contains(q) && rule.better(rule.offer(state[p], p, q, in[q]...), state[q], q));
    });
    return any;
  };

  for (std::int64_t i = 0; i < state.pixels(); ++i) state[site_of(i)] = start[site_of(i)];
  std::vector<std::int64_t> front;
  std::vector<std::vector<std::int64_t>> next(static_cast<std::size_t>(threads));
  bool everywhere = Rule::confluent;  // the first front is the whole image, and is not stored
  if (!everywhere)
    for (std::int64_t i = 0; i < state.pixels(); ++i)
      if (gives(i)) front.push_back(i);
  while (everywhere || !front.empty()) {
    const auto size = everywhere ? state.pixels() : static_cast<std::int64_t>(front.size());
    std::atomic<std::int64_t> drawn{0};
    pass_over_units pass(work, size);
    parallel(threads, [&](int thread) {
      constexpr auto batch = tuning::front_pixels_claimed;
      while (!work.how.stop.stop_requested()) {
        const auto begin = drawn.fetch_add(batch, std::memory_order_relaxed);
        if (begin >= size) return;
        for (auto k = begin; k < std::min(size, begin + batch); ++k)
          spread_from(everywhere ? k : front[static_cast<std::size_t>(k)],
                      next[static_cast<std::size_t>(thread)]);
        if (thread == 0) pass.tell(std::min(size, begin + batch));
      }
    });
    work.check_stop();
    everywhere = false;
    front.clear();
    for (auto& part : next) {
      front.insert(front.end(), part.begin(), part.end());
      part.clear();
    }
  }
}

}  // namespace macareu::cpu

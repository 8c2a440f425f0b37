// Work in pieces that threads take one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/call.hpp"
#include "engines/cpu/threads.hpp"

namespace macareu::cpu {

/// visit(thread, unit) for every unit, `batch` at a time; throws `interrupted` when the caller asks to stop.
template <class Visit>
void over_units(const job& work, int threads, std::int64_t units, std::int64_t batch, pass_over_units pass,
                Visit&& visit) {
  std::atomic<std::int64_t> next{0};
  const auto take_all = [&](int thread) {
    while (!work.how.stop.stop_requested()) {
      const auto begin = next.fetch_add(batch, std::memory_order_relaxed);
      if (begin >= units) return;
      const auto end = std::min(units, begin + batch);
      for (auto unit = begin; unit < end; ++unit) visit(thread, unit);
      if (thread == 0) pass.tell(end);
    }
  };
  if (threads > 1)
    parallel(threads, take_all);
  else
    take_all(0);  // small images are done before a function object is made
  work.check_stop();
  pass.tell(units);
}

template <class Visit>
void over_units(const job& work, int threads, std::int64_t units, std::int64_t batch, Visit&& visit) {
  over_units(work, threads, units, batch, pass_over_units(work, units), visit);
}

/// Where it is known which share of the call it is: from `from` to `to`.
template <class Visit>
void over_told_units(const job& work, double from, double to, int threads, std::int64_t units,
                     std::int64_t batch, Visit&& visit) {
  over_units(work, threads, units, batch, pass_over_units(work, units, from, to), visit);
}

}  // namespace macareu::cpu

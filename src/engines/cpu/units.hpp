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
void over_units(const job& work, int threads, std::int64_t units, std::int64_t batch, Visit&& visit) {
  std::atomic<std::int64_t> next{0};
  const auto take_all = [&](int thread) {
    while (!work.how.stop.stop_requested()) {
      const auto begin = next.fetch_add(batch, std::memory_order_relaxed);
      if (begin >= units) return;
      const auto end = std::min(units, begin + batch);
      for (auto unit = begin; unit < end; ++unit) visit(thread, unit);
    }
  };
  if (threads > 1)
    parallel(threads, take_all);
  else
    take_all(0);  // small images are done before a function object is made
  work.check_stop();
}

/// The same, telling the caller on the way: the first thread says which share of the call is done, from
/// `from` to `to`.
template <class Visit>
void over_told_units(const job& work, double from, double to, int threads, std::int64_t units,
                     std::int64_t batch, Visit&& visit) {
  constexpr std::int64_t steps = 128;
  std::int64_t told = -1;
  over_units(work, threads, units, batch, [&](int thread, std::int64_t unit) {
    visit(thread, unit);
    if (thread != 0 || !work.how.progress || unit * steps / units == told) return;
    told = unit * steps / units;
    work.how.progress(from + (to - from) * static_cast<double>(told) / steps);
  });
}

}  // namespace macareu::cpu

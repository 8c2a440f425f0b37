// Dynamic scheduling: threads claim units of work from a shared counter.
#pragma once

#include <cstdint>

#include "core/call.hpp"
#include "core/function_ref.hpp"
#include "engines/cpu/runtime/threads.hpp"

namespace macareu::cpu {

/// visit(thread, begin, end) for all units, `batch` at a time. Throws `interrupted` when the caller requests
/// a stop.
void over_batches(const job& work, int threads, std::int64_t units, std::int64_t batch, pass_over_units pass,
                  function_ref<void(int, std::int64_t, std::int64_t)> visit);

/// visit(thread, unit) for every unit.
template <class Visit>
void over_units(const job& work, int threads, std::int64_t units, std::int64_t batch,
                const pass_over_units& pass, Visit&& visit) {
  over_batches(work, threads, units, batch, pass, [&](int thread, std::int64_t begin, std::int64_t end) {
    for (auto unit = begin; unit < end; ++unit) visit(thread, unit);
  });
}

template <class Visit>
void over_units(const job& work, int threads, std::int64_t units, std::int64_t batch, Visit&& visit) {
  over_units(work, threads, units, batch, pass_over_units(work, units), visit);
}

/// The same for a pass that reports progress from `from` to `to` of the whole call.
template <class Visit>
void over_told_units(const job& work, double from, double to, int threads, std::int64_t units,
                     std::int64_t batch, Visit&& visit) {
  over_units(work, threads, units, batch, pass_over_units(work, units, from, to), visit);
}

}  // namespace macareu::cpu

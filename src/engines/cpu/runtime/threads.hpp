// The number of threads, and parallel execution.
#pragma once

#include <cstdint>

#include "core/function_ref.hpp"
#include "core/host_threads.hpp"

namespace macareu::cpu {

/// What affinity and the cgroup quota allow, or OMP_NUM_THREADS. At least 1.
int available_threads();

/// The threads to use for this many pixels: `asked` if positive, else 1 where a second thread would cost more
/// than it saves.
int threads_for(std::int64_t pixels, int asked);

/// Runs body(0) on the calling thread, and body(1), body(2), ... on up to threads - 1 helpers that get a
/// processor before body(0) returns. A body must take its work from a shared counter and return when none is
/// left, because the call does not wait for helpers without a processor. Rethrows the first exception once
/// all bodies have returned.
void parallel(int threads, function_ref<void(int)> body);

/// Threads for a rule whose work is comparable to that of this many pixels.
inline host_threads lend_threads(std::int64_t pixels, int asked) {
  return {threads_for(pixels, asked), &parallel};
}

}  // namespace macareu::cpu

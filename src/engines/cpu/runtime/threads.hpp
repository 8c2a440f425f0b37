// How many threads, and running on them.
#pragma once

#include <cstdint>

#include "core/function_ref.hpp"
#include "core/host_threads.hpp"

namespace macareu::cpu {

/// What affinity and the cgroup's quota allow; OMP_NUM_THREADS is respected. At least 1.
int available_threads();

/// The threads to use for so many pixels: 1 where starting a second one would cost more than it saves, unless
/// the caller asked for a number.
int threads_for(std::int64_t pixels, int asked);

/// Runs body(0) on the calling thread, and body(1), body(2), ... on up to threads - 1 helpers that get a
/// processor before body(0) returns. So a body takes its work from a shared counter, and returns when none is
/// left: a helper without a processor is not waited for. What a body throws is thrown here, once all have
/// returned.
void parallel(int threads, function_ref<void(int)> body);

/// For rules, with work as long as that of so many pixels.
inline host_threads lend_threads(std::int64_t pixels, int asked) {
  return {threads_for(pixels, asked), &parallel};
}

}  // namespace macareu::cpu

// How many threads, and running on them.
#pragma once

#include <cstdint>
#include <functional>

namespace macareu::cpu {

/// What affinity and the cgroup's quota allow; OMP_NUM_THREADS is respected. At least 1.
int available_threads();

/// The threads to use for so many pixels: 1 where starting a second one would cost more than it saves, unless
/// the caller asked for a number.
int threads_for(std::int64_t pixels, int asked);

/// Runs body(thread) on so many threads. What a body throws is thrown here, once all have ended. In a process
/// that was forked from one that had used several threads there is only one: OpenMP's pool does not survive a
/// fork.
void parallel(int threads, const std::function<void(int)>& body);

}  // namespace macareu::cpu

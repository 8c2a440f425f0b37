#include "engines/cuda/runtime/message.cuh"

#include <atomic>
#include <chrono>
#include <thread>

#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

bool is_set(std::uint32_t& flag) { return std::atomic_ref(flag).load(std::memory_order_acquire) != 0; }

bool comes_soon(std::uint32_t& flag, std::uint32_t& other) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds spinning(tuning::spinning_us), polling(tuning::polling_us);
  const auto begin = clock::now();
  for (auto waited = begin - begin; waited < polling; waited = clock::now() - begin) {
    if (waited > spinning) std::this_thread::yield();
    for (int looks = 0; looks < tuning::looks_at_once; ++looks)
      if (is_set(flag) || is_set(other)) return true;
  }
  return false;
}

}  // namespace macareu::cuda

#include "engines/cuda/message.cuh"

#include <atomic>
#include <chrono>
#include <thread>

namespace macareu::cuda {

bool comes_soon(std::uint32_t& sent) {
  using clock = std::chrono::steady_clock;
  // A core that others want is given to them when the shortest kernels are over.
  constexpr auto for_itself = std::chrono::microseconds(200), patience = std::chrono::microseconds(2000);
  const std::atomic_ref flag(sent);
  const auto begin = clock::now();
  for (auto waited = begin - begin; waited < patience; waited = clock::now() - begin) {
    if (waited > for_itself) std::this_thread::yield();
    for (int looks = 0; looks < 32; ++looks)
      if (flag.load(std::memory_order_acquire)) return true;
  }
  return false;
}

}  // namespace macareu::cuda

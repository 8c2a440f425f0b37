#include "engines/cuda/message.cuh"

#include <atomic>
#include <chrono>

namespace macareu::cuda {

bool comes_soon(std::uint32_t& sent) {
  using clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::milliseconds(2);
  const std::atomic_ref flag(sent);
  const auto end = clock::now() + patience;
  do {
    for (int looks = 0; looks < 32; ++looks)
      if (flag.load(std::memory_order_acquire)) return true;
  } while (clock::now() < end);
  return false;
}

}  // namespace macareu::cuda

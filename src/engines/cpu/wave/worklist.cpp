#include "engines/cpu/wave/worklist.hpp"

#include <bit>
#include <chrono>
#include <thread>

#include "engines/cpu/tuning.hpp"

namespace macareu::cpu {
namespace {

/// Back-off: spins first, because the other thread is often about to finish, then sleeps.
class patience {
 public:
  void wait() {
    using clock = std::chrono::steady_clock;
    const auto now = clock::now();
    if (!waits_) sleep_from_ = now + std::chrono::microseconds(tuning::look_microseconds);
    waits_ = true;
    if (now >= sleep_from_)
      std::this_thread::sleep_for(std::chrono::microseconds(tuning::sleep_microseconds));
  }
  void reset() { waits_ = false; }

 private:
  bool waits_ = false;
  std::chrono::steady_clock::time_point sleep_from_;
};

}  // namespace

worklist::worklist(std::int64_t tiles)
    : mask_(std::bit_ceil(static_cast<std::uint64_t>(tiles) + 1) - 1),
      ring_(std::make_unique<std::atomic<std::int64_t>[]>(mask_ + 1)),
      tail_(static_cast<std::uint64_t>(tiles)),
      open_(tiles) {
  for (std::int64_t tile = 0; tile < tiles; ++tile) ring_[static_cast<std::uint64_t>(tile)] = tile + 1;
}

void worklist::push(std::int64_t tile) {
  open_.fetch_add(1, std::memory_order_relaxed);
  auto& slot = ring_[tail_.fetch_add(1, std::memory_order_relaxed) & mask_];
  // A reader of the previous lap may not have emptied this slot yet.
  std::int64_t empty = 0;
  for (patience p;
       !slot.compare_exchange_weak(empty, tile + 1, std::memory_order_release, std::memory_order_relaxed);
       empty = 0)
    p.wait();
}

bool worklist::pop(std::int64_t& tile) {
  auto head = head_.load(std::memory_order_relaxed);
  do {
    if (head >= tail_.load(std::memory_order_relaxed)) return false;
  } while (!head_.compare_exchange_weak(head, head + 1, std::memory_order_relaxed));
  auto& slot = ring_[head & mask_];
  std::int64_t found;
  for (patience p; (found = slot.exchange(0, std::memory_order_acquire)) == 0;) p.wait();
  tile = found - 1;
  return true;
}

void worklist::work(const std::function<void(std::int64_t)>& visit) {
  patience p;
  std::int64_t tile = 0;
  while (!stopped()) {
    if (pop(tile)) {
      try {
        visit(tile);
      } catch (...) {
        stop();  // otherwise the others wait for this tile forever
        throw;
      }
      open_.fetch_sub(1, std::memory_order_acq_rel);
      p.reset();
    } else if (open_.load(std::memory_order_acquire) == 0) {
      return;
    } else {
      p.wait();
    }
  }
}

}  // namespace macareu::cpu

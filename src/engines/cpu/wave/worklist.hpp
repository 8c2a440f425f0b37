// The queue of tiles that wait for a visit, shared by all threads, first in first out.
//
// Every tile is in the queue at most once (see tiles.hpp), so it never holds more than all tiles. The work
// is done when no tile waits and none is being visited.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace macareu::cpu {

class worklist {
 public:
  /// Starts with all tiles, in order.
  explicit worklist(std::int64_t tiles);

  void push(std::int64_t tile);

  /// Visits tiles until none is left or stop() is called. Every thread calls it.
  void work(const std::function<void(std::int64_t)>& visit);
  /// Running visits finish; waiting tiles stay unvisited.
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  std::int64_t open() const { return open_.load(std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  bool pop(std::int64_t& tile);

  std::uint64_t mask_;
  std::unique_ptr<std::atomic<std::int64_t>[]> ring_;  // tile + 1; 0 where empty
  alignas(64) std::atomic<std::uint64_t> head_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  alignas(64) std::atomic<std::int64_t> open_{0};  // waiting or being visited
  std::atomic<bool> stopped_{false};
};

}  // namespace macareu::cpu

// The memory of a worklist on the host's side.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>

#include "engines/cuda/runtime/message.cuh"
#include "engines/cuda/runtime/zeroed_memory.cuh"
#include "engines/cuda/wave/problem.cuh"
#include "engines/cuda/wave/tiles.cuh"
#include "engines/cuda/wave/tiles/relaxed.cuh"
#include "engines/cuda/wave/tiles/worklist.cuh"

namespace macareu::cuda::tiles {

/// The blocks of a kernel, and how many of them stay to its end.
struct worker_blocks {
  std::uint32_t all, staying, workers_each;
  std::uint32_t workers() const { return all * workers_each; }
};

/// The worklist and the published rims, in memory that is zero before and after.
class wave_memory {
 public:
  wave_memory(const gpu& on, std::uint32_t count, const worker_blocks& by, std::int64_t rim_bytes)
      : memory_(on, bytes_for(count, by.workers(), rim_bytes)), summary_(on) {
    const auto workers = by.workers();
    const auto mailboxes = mailboxes_for(count, workers);
    auto* const boxes = memory_.data() + padded(sizeof(worklist_counters));
    auto* const states = boxes + padded(4ll * mailboxes);
    rims_ = states + padded(4ll * count);
    work_ = {reinterpret_cast<worklist_counters*>(memory_.data()),
             reinterpret_cast<std::uint32_t*>(states),
             reinterpret_cast<std::uint32_t*>(boxes),
             mailboxes - 1,
             count,
             by.staying * by.workers_each,
             by.staying,
             reinterpret_cast<uint4*>(states),
             (padded(4ll * count) + padded(rim_bytes)) / static_cast<std::int64_t>(sizeof(uint4)),
             summary_.place()};
  }
  const worklist& work() const { return work_; }
  void* rims() const { return rims_; }

  /// The result of the launched wave.
  tile_result result(const gpu& on, const std::function<void()>& go_on) {
    memory_.launched();
    const bool announced = go_on && summary_.is_announced(on);
    if (announced) {
      memory_.give_back();
      go_on();
    }
    const auto told = summary_.receive(on);
    if (!announced) {
      memory_.give_back();
      if (told.gave_up) go_on();
    }
    add_to_count(on.work.report.tiles, static_cast<std::int64_t>(told.visits));
    add_to_count(on.work.report.passes, static_cast<std::int64_t>(told.passes));
    return {!told.gave_up, !told.beyond};
  }

 private:
  static std::int64_t padded(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }
  static std::uint32_t mailboxes_for(std::uint32_t count, std::uint32_t workers) {
    return std::bit_ceil(count + workers);
  }
  static std::int64_t bytes_for(std::uint32_t count, std::uint32_t workers, std::int64_t rim_bytes) {
    return padded(sizeof(worklist_counters)) + padded(4ll * mailboxes_for(count, workers)) +
           padded(4ll * count) + padded(rim_bytes);
  }

  zeroed_memory memory_;
  expected_message<wave_summary> summary_;
  worklist work_;
  void* rims_;
};

}  // namespace macareu::cuda::tiles

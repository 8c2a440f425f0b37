// Exchanges the numbers on a slice that two blocks share between the workers of these blocks. The second
// worker to arrive computes the pairs. Memory is reused, because freeing and allocating it costs more than
// filling it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "patterns/component_rims.hpp"

namespace macareu::cuda::labels {

class rim_exchange {
 public:
  using numbers = std::vector<std::uint32_t>;

  rim_exchange(std::size_t blocks, std::size_t rim_pixels)
      : pixels_(rim_pixels), shared_(blocks), residues_(blocks) {}

  numbers take_memory() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return numbers(pixels_);
    auto memory = std::move(spare_.back());
    spare_.pop_back();
    return memory;
  }

  void set_objects(std::size_t block, std::uint32_t objects) { residues_[block].objects = objects; }

  /// Numbers of `block` in its first slice.
  void give_first(std::size_t block, numbers&& first, const host_threads& threads) {
    std::uint32_t most = 0;
    for (const auto number : first) most = number > most ? number : most;
    residues_[block].in_first = most;
    give(block - 1, &rim::next, std::move(first), threads);
  }
  /// Numbers of `block` in the first slice of the next block. Call set_objects() first.
  void give_next(std::size_t block, numbers&& next, const host_threads& threads) {
    give(block, &rim::own, std::move(next), threads);
  }

  /// Complete when all blocks have given their numbers.
  const std::vector<block_residue>& residues() const { return residues_; }

 private:
  struct rim {
    numbers own, next;
  };

  void give(std::size_t block, numbers rim::*side, numbers&& given, const host_threads& threads) {
    rim both;
    {
      const std::lock_guard lock(mutex_);
      auto& here = shared_[block];
      here.*side = std::move(given);
      if (here.own.empty() || here.next.empty()) return;
      both = std::exchange(here, {});
    }
    residues_[block].to_next = rim_pairs(both.own, both.next, residues_[block].objects, threads);
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(both.own));
    spare_.push_back(std::move(both.next));
  }

  std::size_t pixels_;
  std::mutex mutex_;
  std::vector<rim> shared_;  // indexed by the earlier block
  std::vector<numbers> spare_;
  std::vector<block_residue> residues_;
};

}  // namespace macareu::cuda::labels

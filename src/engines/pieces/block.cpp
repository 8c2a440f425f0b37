#include "engines/pieces/block.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {
namespace {

/// Rows of a large block lie on pages of their own, and parts of a work file are decoded into many rows: huge
/// pages save most misses of the page table. Advice: may fail.
void advise_huge_pages(std::byte* memory, std::size_t bytes) {
  constexpr std::uintptr_t page = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page,
             end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (bytes >= tuning::bytes_on_huge_pages)
    ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace

std::shared_ptr<std::byte> block_memory::take(std::size_t bytes) {
  spare found{nullptr, 0};
  {
    const std::lock_guard lock(guard_);
    auto best = spares_.end();
    for (auto it = spares_.begin(); it != spares_.end(); ++it)
      if (it->size >= bytes && it->size / 2 <= bytes && (best == spares_.end() || it->size < best->size))
        best = it;
    // Halos make blocks grow: without a spare that is large enough, one that nearly is gives way.
    if (best == spares_.end())
      best = std::ranges::find_if(
          spares_, [&](const spare& one) { return one.size < bytes && bytes / 2 <= one.size; });
    if (best != spares_.end()) {
      if (best->size >= bytes) found = std::move(*best);
      spares_.erase(best);
    }
  }
  if (!found.bytes) {
    found = {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
    advise_huge_pages(found.bytes.get(), bytes);
  }
  return {found.bytes.release(), [owner = weak_from_this(), size = found.size](std::byte* memory) {
            spare used{std::unique_ptr<std::byte[]>(memory), size};
            if (const auto pool = owner.lock()) pool->give_back(std::move(used));
          }};
}

void block_memory::give_back(spare memory) {
  const std::lock_guard lock(guard_);
  if (spares_.size() == tuning::most_spare_blocks) spares_.erase(spares_.begin());
  spares_.push_back(std::move(memory));
}

void block_memory::release() {
  const std::lock_guard lock(guard_);
  spares_.clear();
}

}  // namespace macareu::pieces

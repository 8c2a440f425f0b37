#include "slides/steps/buffers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace macareu::slides {
namespace {

constexpr std::int64_t huge_page = std::int64_t{1} << 21;

}  // namespace

void buffers::release::operator()(std::byte* memory) const { std::free(memory); }

std::unique_ptr<std::byte[], buffers::release> buffers::fresh(std::int64_t bytes) {
  auto* const memory = static_cast<std::byte*>(
      std::aligned_alloc(static_cast<std::size_t>(huge_page), static_cast<std::size_t>(bytes)));
  if (!memory) throw std::bad_alloc();
  ::madvise(memory, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // advice: may fail
  return std::unique_ptr<std::byte[], release>(memory);
}

std::shared_ptr<std::byte> buffers::take(std::int64_t bytes) {
  bytes = (std::max<std::int64_t>(bytes, 1) + huge_page - 1) / huge_page * huge_page;
  spare found{nullptr, bytes};
  {
    const std::lock_guard lock(guard_);
    // The smallest that is large enough.
    auto best = spares_.end();
    for (auto it = spares_.begin(); it != spares_.end(); ++it)
      if (it->size >= bytes && (best == spares_.end() || it->size < best->size)) best = it;
    if (best != spares_.end()) {
      found = std::move(*best);
      total_ -= found.size;
      spares_.erase(best);
    } else {
      // All are too small: a fresh one replaces about as many bytes of them, the oldest first.
      std::int64_t freed = 0;
      while (!spares_.empty() && freed < bytes) {
        freed += spares_.front().size;
        total_ -= spares_.front().size;
        spares_.erase(spares_.begin());
      }
    }
  }
  if (!found.memory) found.memory = fresh(bytes);
  auto* const memory = found.memory.get();
  auto kept = std::make_shared<spare>(std::move(found));
  return {memory, [pool = shared_from_this(), kept](std::byte*) {
            const std::lock_guard lock(pool->guard_);
            pool->total_ += kept->size;
            pool->spares_.push_back(std::move(*kept));
            while (pool->total_ > pool->most_) {
              pool->total_ -= pool->spares_.front().size;
              pool->spares_.erase(pool->spares_.begin());
            }
          }};
}

}  // namespace macareu::slides

#include "core/host_memory.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "core/ceil_div.hpp"
#include "core/free_list_allowance.hpp"

namespace macareu {
namespace {

constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20, large = 2 * huge_page;

/// The oldest first.
class free_list {
 public:
  /// Never destroyed: temporary images may outlive it.
  static free_list& here() {
    static auto& all = *new free_list;
    return all;
  }

  host_memory take(std::size_t bytes) {
    const std::lock_guard lock(guard_);
    const auto found =
        std::find_if(kept_.rbegin(), kept_.rend(), [&](auto& one) { return one.bytes == bytes; });
    if (found == kept_.rend()) return nullptr;
    auto memory = std::move(found->memory);
    total_ -= bytes;
    kept_.erase(std::next(found).base());
    return memory;
  }

  void keep(host_memory memory, std::size_t bytes) {
    const std::lock_guard lock(guard_);
    if (bytes > most_now()) return;
    kept_.push_back({std::move(memory), bytes});
    total_ += bytes;
    shorten();
  }

  std::size_t bytes() {
    const std::lock_guard lock(guard_);
    return total_;
  }

  void refuse() {
    const std::lock_guard lock(guard_);
    ++refusals_;
    shorten();
  }
  void accept() {
    const std::lock_guard lock(guard_);
    --refusals_;
  }
  /// Returns the allowance before.
  std::size_t allow(std::size_t bytes) {
    const std::lock_guard lock(guard_);
    const auto before = std::exchange(allowed_, bytes);
    shorten();
    return before;
  }

 private:
  std::size_t most_now() const { return refusals_ > 0 ? std::min(allowed_, most) : most; }
  void shorten() {
    for (; total_ > most_now(); kept_.erase(kept_.begin())) total_ -= kept_.front().bytes;
  }

  static constexpr std::size_t most = std::size_t{256} << 20;
  struct piece {
    host_memory memory;
    std::size_t bytes;
  };

  std::mutex guard_;
  std::vector<piece> kept_;
  std::size_t total_ = 0, allowed_ = 0;
  int refusals_ = 0;
};

}  // namespace

void free_memory::operator()(void* memory) const { std::free(memory); }

/// Page faults of 4 KiB take ten times as long as filling the memory. 64 MiB on a Neoverse-N1: 28 ms with
/// small pages, 4 ms with huge pages, 2.5 ms in memory that was used before.
host_memory new_memory(std::size_t bytes) {
  const auto alignment = bytes < large ? line : huge_page;
  if (bytes > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc();
  const auto whole = ceil_div(std::max<std::size_t>(bytes, 1), alignment) * alignment;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(alignment, whole));
  if (!memory) throw std::bad_alloc();
#ifdef __linux__
  // Only whole pages: the last bytes shall not take 2 MiB. A failure only costs speed.
  if (alignment == huge_page) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  return host_memory(memory);
}

host_memory take_memory(std::size_t bytes) {
  auto memory = bytes < large ? nullptr : free_list::here().take(bytes);
  return memory ? std::move(memory) : new_memory(bytes);
}

void give_back(host_memory memory, std::size_t bytes) {
  if (memory && bytes >= large) free_list::here().keep(std::move(memory), bytes);
}

std::size_t free_list_bytes() { return free_list::here().bytes(); }

free_list_allowance::free_list_allowance(std::size_t bytes) : before_(free_list::here().allow(bytes)) {}
free_list_allowance::~free_list_allowance() { free_list::here().allow(before_); }

no_free_list::no_free_list() { free_list::here().refuse(); }
no_free_list::~no_free_list() { free_list::here().accept(); }

}  // namespace macareu

#include "engines/cpu/runtime/units.hpp"

#include <algorithm>
#include <atomic>

namespace macareu::cpu {

void over_batches(const job& work, int threads, std::int64_t units, std::int64_t batch, pass_over_units pass,
                  function_ref<void(int, std::int64_t, std::int64_t)> visit) {
  std::atomic<std::int64_t> next{0};
  parallel(threads, [&](int thread) {
    while (!work.how.stop.stop_requested()) {
      const auto begin = next.fetch_add(batch, std::memory_order_relaxed);
      if (begin >= units) return;
      const auto end = std::min(units, begin + batch);
      visit(thread, begin, end);
      if (thread == 0) pass.tell(end);
    }
  });
  work.check_stop();
  pass.tell(units);
}

}  // namespace macareu::cpu

// Host threads for work that is the same on every engine. The engine that runs the call provides them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/function_ref.hpp"

namespace macareu {

struct host_threads {
  int count = 1;
  /// Calls body(0) on the calling thread, and may call body(1) .. body(threads - 1) on others. Returns when
  /// all have returned. May be null if `count` is 1.
  void (*run)(int threads, function_ref<void(int)> body) = nullptr;

  /// visit(unit) for 0 .. units - 1, in any order.
  template <class Visit>
  void for_each(std::size_t units, const Visit& visit) const {
    const auto useful = std::min(static_cast<std::size_t>(count), units);
    if (useful <= 1) {
      for (std::size_t unit = 0; unit < units; ++unit) visit(unit);
      return;
    }
    std::atomic<std::size_t> next{0};
    run(static_cast<int>(useful), [&](int) {
      for (auto unit = next.fetch_add(1); unit < units; unit = next.fetch_add(1)) visit(unit);
    });
  }
};

}  // namespace macareu

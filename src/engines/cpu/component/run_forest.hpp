// Union-find over runs. A parent is never a later run, so a root is the first run of its tree.
#pragma once

#include <cstdint>

#include "engines/cpu/component/lines.hpp"

namespace macareu::cpu {

class run_forest {
 public:
  using index = std::uint32_t;

  explicit run_forest(std::int64_t runs) : parent_(room_for<index>(runs)) {}

  index& operator[](std::int64_t run) const { return parent_[static_cast<std::size_t>(run)]; }

  index root(index run) const {
    while (parent_[run] != run) run = parent_[run];
    return run;
  }

  void unite(index later, index earlier) const {
    const index above = parent_[later], other = parent_[earlier];
    if (above == other) return;  // as most contacts of a large object
    // A root has no run before it in its tree: it may go under any earlier run's parent, most often at once.
    if (above == later) {
      parent_[later] = other;
      return;
    }
    const index a = halving(later), b = halving(earlier);
    if (a < b)
      parent_[b] = a;
    else
      parent_[a] = b;
  }

 private:
  index halving(index run) const {
    while (true) {
      const index above = parent_[run];
      if (above == run) return run;
      const index next = parent_[above];
      if (next == above) return above;
      parent_[run] = next;
      run = next;
    }
  }

  std::unique_ptr<index[]> parent_;
};

}  // namespace macareu::cpu

// Union-find over runs. A parent is never a later run, so a root is the first run of its tree.
#pragma once

#include <cstdint>
#include <utility>

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

  void unite(index a, index b) const {
    while (a != b) {
      if (a < b) std::swap(a, b);  // a hangs below something earlier in the end: Rem's algorithm
      const index above = parent_[a];
      if (above == a) {
        parent_[a] = b;
        return;
      }
      // Splicing: a's tree goes where b is, if that is earlier.
      if (b < above) parent_[a] = b;
      a = above;
    }
  }

 private:
  std::unique_ptr<index[]> parent_;
};

}  // namespace macareu::cpu

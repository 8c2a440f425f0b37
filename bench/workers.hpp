// How many threads make and check images; never part of a time.
#pragma once

#include <macareu/machine.hpp>

namespace macareu::bench {

inline int workers() {
  static const int count = this_machine().threads;
  return count;
}

}  // namespace macareu::bench

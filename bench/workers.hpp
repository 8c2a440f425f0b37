// The number of threads that create and check images, outside the timed part.
#pragma once

#include <macareu/machine.hpp>

namespace macareu::bench {

inline int workers() {
  static const int count = this_machine().threads;
  return count;
}

}  // namespace macareu::bench

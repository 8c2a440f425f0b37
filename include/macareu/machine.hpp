// What the cpu device finds on this machine.
#pragma once

#include <string_view>

namespace macareu {

struct machine_description {
  int threads = 1;                   ///< what affinity, cgroup and OMP_NUM_THREADS allow
  std::string_view instruction_set;  ///< of the kernels chosen at run time
};

machine_description this_machine();

}  // namespace macareu

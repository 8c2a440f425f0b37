// The devices of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace macareu {

struct gpu_description {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  std::int64_t memory = 0;   ///< bytes
  bool usable = true;        ///< whether this build has code for it
};

struct machine_description {
  int threads = 1;                         ///< what affinity, cgroup and OMP_NUM_THREADS allow
  std::string_view instruction_set;        ///< of the cpu kernels chosen at run time
  std::vector<gpu_description> gpus = {};  ///< number N is device "cuda:N"
  std::string no_gpu = {};                 ///< why there is none
};

machine_description this_machine();

}  // namespace macareu

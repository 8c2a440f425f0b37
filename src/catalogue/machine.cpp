#include <macareu/machine.hpp>

#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/wave/sweep.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu {

machine_description this_machine() {
  const auto& here = cuda::gpus_here();
  return {cpu::available_threads(), cpu::best_sweep_kernels().instruction_set, here.gpus, here.problem};
}

}  // namespace macareu

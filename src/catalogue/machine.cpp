#include <macareu/machine.hpp>

#include "engines/cpu/threads.hpp"
#include "engines/cpu/wave/sweep.hpp"

namespace macareu {

machine_description this_machine() {
  return {cpu::available_threads(), cpu::best_sweep_kernels().instruction_set};
}

}  // namespace macareu

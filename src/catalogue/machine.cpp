#include <macareu/machine.hpp>

#include "engines/cpu/runtime/instruction_set.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu {

machine_description this_machine() {
  const auto& here = cuda::gpus_here();
  return {cpu::available_threads(), cpu::chosen_instruction_set().name, here.gpus, here.problem};
}

}  // namespace macareu

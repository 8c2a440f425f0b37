#include <macareu/machine.hpp>
#include <macareu/ranks.hpp>

#include "catalogue/device_choice.hpp"
#include "engines/cpu/runtime/instruction_set.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cuda/runtime/gpu_of_rank.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu {

machine_description this_machine() {
  const auto& here = cuda::gpus_here();
  return {cpu::available_threads(), cpu::chosen_instruction_set().name, here.gpus, here.problem};
}

void use_gpu_of(const ranks& all) {
  // A launcher that gives each rank a GPU leaves one visible. Without a choice the driver is not asked.
  if (all.local_size() == 1 || !cuda::is_built()) return;
  if (const auto gpu = cuda::gpu_of_rank(cuda::gpus_here().gpus, all.local_rank())) prefer_gpu(*gpu);
}

}  // namespace macareu

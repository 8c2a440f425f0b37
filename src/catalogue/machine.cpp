#include <macareu/machine.hpp>

#include <exception>
#include <limits>
#include <string>

#include <macareu/ranks.hpp>

#include "catalogue/device_choice.hpp"
#include "catalogue/gpu_memory_of_rank.hpp"
#include "catalogue/gpu_start_up.hpp"
#include "catalogue/lend_threads.hpp"
#include "engines/cpu/runtime/instruction_set.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cuda/runtime/gpu_of_rank.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu {

machine_description this_machine() {
  const auto& here = gpus_of_machine();
  return {cpu::available_threads(), cpu::chosen_instruction_set().name, here.gpus, here.problem};
}

host_threads lend_threads(std::int64_t pixels, int asked) { return cpu::lend_threads(pixels, asked); }

void use_gpu_of(const ranks& all) {
  // A launcher that gives each rank a GPU leaves one visible. Without a choice the driver is not asked.
  if (all.local_size() == 1 || !cuda::is_built()) return;
  if (const auto gpu = cuda::gpu_of_rank(gpus_of_machine().gpus, all.local_rank())) prefer_gpu(*gpu);
}

std::int64_t gpu_memory_of_rank(ranks& all, const context& how) {
  constexpr auto no_gpu = std::numeric_limits<std::int64_t>::max();
  auto own = no_gpu;
  std::string bus;
  if (cuda::is_built() && (how.device == "auto" || how.device.starts_with("cuda"))) {
    try {
      const int gpu = gpu_for_function(how);
      own = cuda::free_memory(gpu) / 10 * 9;
      bus = cuda::bus_of(gpu);
    } catch (const std::exception&) {  // the operators tell, or compute elsewhere
    }
  }
  const auto share = share_of_device(all, own, bus);
  return share == no_gpu ? 0 : share;
}

}  // namespace macareu

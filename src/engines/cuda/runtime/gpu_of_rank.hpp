// Which GPU a process uses, where several share those of a machine.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <macareu/machine.hpp>

namespace macareu::cuda {

/// The number of the GPU for a rank of a machine: usable ones in turn; none if there is none.
inline std::optional<int> gpu_of_rank(std::span<const gpu_description> gpus, int local_rank) {
  std::vector<int> usable;
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
    if (gpus[gpu].usable) usable.push_back(static_cast<int>(gpu));
  if (usable.empty()) return std::nullopt;
  return usable[static_cast<std::size_t>(local_rank) % usable.size()];
}

/// Names a GPU of the machine, whatever number it has in this process.
std::string bus_of(int gpu);

}  // namespace macareu::cuda

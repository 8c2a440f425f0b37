// Which GPU a process uses, where several share those of a machine.
#pragma once

#include <string>

namespace macareu::cuda {

/// The GPU that CUDA uses in this thread from now on.
void use_gpu(int gpu);

/// Names a GPU of the machine, whatever number it has in this process.
std::string bus_of(int gpu);

}  // namespace macareu::cuda

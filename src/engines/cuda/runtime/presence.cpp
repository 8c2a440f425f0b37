#include "engines/cuda/runtime/presence.hpp"

#include <cuda_runtime_api.h>

#include "engines/cuda/runtime/check.hpp"
#include "engines/cuda/runtime/current_device.hpp"
#include "engines/cuda/runtime/gpu_of_rank.hpp"
#include "engines/cuda/runtime/memory_pool.hpp"

namespace macareu::cuda {
namespace {

gpu_list ask_driver() {
  int driver = 0, count = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
    return {{}, "no NVIDIA driver is installed"};
  if (const auto code = cudaGetDeviceCount(&count); code != cudaSuccess) {
    cudaGetLastError();  // it would be reported again by a later call
    return {{}, cudaGetErrorString(code)};
  }
  gpu_list list;
  for (int gpu = 0; gpu < count; ++gpu) {
    cudaDeviceProp about;
    if (cudaGetDeviceProperties(&about, gpu) != cudaSuccess) break;
    list.gpus.push_back({about.name, about.major, about.minor,
                         static_cast<std::int64_t>(about.totalGlobalMem),
                         10 * about.major + about.minor >= MACAREU_OLDEST_GPU});
  }
  if (list.gpus.empty()) list.problem = "no GPU is visible";
  return list;
}

}  // namespace

bool is_built() { return true; }

const gpu_list& gpus_here() {
  static const gpu_list here = ask_driver();
  return here;
}

int current_gpu() {
  int gpu = 0;
  check(cudaGetDevice(&gpu), "cudaGetDevice");
  return gpu;
}

std::string bus_of(int gpu) {
  char text[32] = {};
  check(cudaDeviceGetPCIBusId(text, sizeof text, gpu), "cudaDeviceGetPCIBusId");
  return text;
}

std::int64_t free_memory(int gpu) {
  const current_device here(gpu);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free) + idle_memory(gpu);
}

}  // namespace macareu::cuda

#include "engines/cuda/presence.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <atomic>

#include "engines/cuda/check.hpp"
#include "engines/cuda/current_device.hpp"
#include "engines/cuda/memory_pool.hpp"

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

using ask_pointer = decltype(&cuPointerGetAttributes);

/// None where nobody in this process has loaded the driver.
ask_pointer loaded_driver() {
  static std::atomic<ask_pointer> known{nullptr};  // it stays loaded; looking for it takes microseconds
  if (const auto ask = known.load(std::memory_order_relaxed)) return ask;
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return nullptr;
  const auto ask = reinterpret_cast<ask_pointer>(dlsym(driver, "cuPointerGetAttributes"));
  known.store(ask, std::memory_order_relaxed);
  dlclose(driver);
  return ask;
}

}  // namespace

const gpu_list& gpus_here() {
  static const gpu_list here = ask_driver();
  return here;
}

int current_gpu() {
  int gpu = 0;
  check(cudaGetDevice(&gpu), "cudaGetDevice");
  return gpu;
}

std::int64_t free_memory(int gpu) {
  const current_device here(gpu);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free) + idle_memory(gpu);
}

/// The driver is asked, not the runtime, which would make a context on a GPU to answer for host memory.
memory_place place_of(const void* data) {
  const auto ask = loaded_driver();
  if (!ask) return {};
  unsigned type = 0, managed = 0;
  int gpu = 0;
  std::array attributes{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  std::array<void*, 3> answers{&type, &managed, &gpu};
  const auto code =
      ask(attributes.size(), attributes.data(), answers.data(), reinterpret_cast<CUdeviceptr>(data));
  if (code != CUDA_SUCCESS || type == 0) return {};
  if (managed) return {memory_kind::managed, gpu};
  return {type == CU_MEMORYTYPE_DEVICE ? memory_kind::device : memory_kind::pinned, gpu};
}

}  // namespace macareu::cuda

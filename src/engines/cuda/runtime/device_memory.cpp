#include <macareu/device_memory.hpp>

#include <algorithm>

#include "engines/cuda/runtime/check.hpp"
#include "engines/cuda/runtime/current_device.hpp"
#include "engines/cuda/runtime/memory_pool.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu::device_memory {
namespace {

/// An error that was told must not be found again by the next launch.
void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) cudaGetLastError();
  cuda::check(code, what);
}

}  // namespace

int current_gpu() { return cuda::current_gpu(); }

void* allocate(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMallocFromPoolAsync(&data, std::max<std::size_t>(bytes, 1), cuda::memory_pool(current_gpu()),
                                nullptr),
        "cudaMallocFromPoolAsync");
  return data;
}

void release(void* data) noexcept {
  cudaPointerAttributes about{};
  int current = 0;
  if (!data || cudaPointerGetAttributes(&about, data) != cudaSuccess ||
      cudaGetDevice(&current) != cudaSuccess)
    return;
  cudaSetDevice(about.device);  // whose default stream the memory's work is in
  cudaFreeAsync(data, nullptr);
  cudaSetDevice(current);
}

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  const cuda::current_device there(cuda::place_of(device).gpu);
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}

void copy_to_host(void* host, const void* device, std::size_t bytes) {
  const cuda::current_device there(cuda::place_of(device).gpu);
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
}

void wait() { check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize"); }

}  // namespace macareu::device_memory

#include "macareu/itk/device_buffer.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include <macareu/error.hpp>

namespace macareu::itk {
namespace {

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw device_error(std::string(what) + ": " + cudaGetErrorString(code));
}

}  // namespace

void device_buffer::release::operator()(void* data) const { cudaFree(data); }

void* device_buffer::memory(std::size_t bytes) {
  if (!data_ || bytes_ != bytes) {
    data_.reset();
    void* data = nullptr;
    check(cudaMalloc(&data, bytes), "cudaMalloc");
    data_.reset(data);
    bytes_ = bytes;
  }
  return data_.get();
}

void device_buffer::to_host(void* host, std::size_t bytes) {
  if (!on_device_only()) return;
  const std::lock_guard lock(moving_);
  if (!on_device_only()) return;
  check(cudaMemcpy(host, data_.get(), std::min(bytes, bytes_), cudaMemcpyDeviceToHost),
        "cudaMemcpy to the host");
  newest_.store(newest::both, std::memory_order_release);
}

const void* device_buffer::to_device(const void* host, std::size_t bytes) {
  const std::lock_guard lock(moving_);
  if (newest_.load(std::memory_order_acquire) == newest::host) {
    check(cudaMemcpy(memory(bytes), host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
    newest_.store(newest::both, std::memory_order_release);
  }
  return data_.get();
}

void* device_buffer::for_writing(std::size_t bytes) {
  const std::lock_guard lock(moving_);
  auto* data = memory(bytes);
  newest_.store(newest::device, std::memory_order_release);
  return data;
}

}  // namespace macareu::itk

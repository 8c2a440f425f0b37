#include "macareu/itk/device_buffer.hpp"

#include <cuda_runtime_api.h>

#include <string>

#include <macareu/error.hpp>

namespace macareu::itk {
namespace {

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw device_error(std::string(what) + ": " + cudaGetErrorString(code));
}

}  // namespace

void device_buffer::release::operator()(void* data) const { cudaFree(data); }

void* device_buffer::memory() {
  if (!data_) {
    void* data = nullptr;
    check(cudaMalloc(&data, bytes_), "cudaMalloc");
    data_.reset(data);
  }
  return data_.get();
}

void device_buffer::to_host(void* host) {
  if (newest_ != newest::device) return;
  check(cudaMemcpy(host, data_.get(), bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
  newest_ = newest::both;
}

const void* device_buffer::to_device(const void* host) {
  if (newest_ == newest::host) {
    check(cudaMemcpy(memory(), host, bytes_, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
    newest_ = newest::both;
  }
  return data_.get();
}

void* device_buffer::for_writing() {
  auto* data = memory();
  newest_ = newest::device;
  return data;
}

}  // namespace macareu::itk

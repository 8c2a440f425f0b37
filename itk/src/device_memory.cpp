#include "device_memory.hpp"

#include <cuda_runtime_api.h>

#include <string>

#include <macareu/error.hpp>

namespace macareu::itk::device_memory {
namespace {

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw device_error(std::string(what) + ": " + cudaGetErrorString(code));
}

}  // namespace

void* take(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMalloc(&data, bytes), "cudaMalloc");
  return data;
}

void give_back(void* data) { cudaFree(data); }

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}

void copy_to_host(void* host, const void* device, std::size_t bytes) {
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
}

}  // namespace macareu::itk::device_memory

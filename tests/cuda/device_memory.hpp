// Device memory of a test's own, outside of the library's pool.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "engines/cuda/runtime/check.hpp"

namespace macareu::test {

template <class T>
class device_memory {
 public:
  explicit device_memory(std::int64_t count) {
    cuda::check(cudaMalloc(reinterpret_cast<void**>(&data_), static_cast<std::size_t>(count) * sizeof(T)),
                "cudaMalloc");
  }
  device_memory(device_memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  device_memory& operator=(device_memory&&) = delete;
  ~device_memory() { cudaFree(data_); }

  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace macareu::test

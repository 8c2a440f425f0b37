// The GPU of one call: stream, errors, memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "core/ceil_div.hpp"
#include "core/view.hpp"
#include "engines/cuda/runtime/check.hpp"

namespace macareu::cuda {

struct gpu {
  job& work;
  int number = 0;
  int multiprocessors = 1;
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;     // null: the driver's default
  int shared_memory = 48 << 10;     // opt-in limit of a block
  mutable bool idle = false;        // the host has waited since the last launch
  mutable bool reads_host = false;  // kernels read host memory of this call: finish() waits

  void launched(const char* kernel) const {
    idle = false;
    check(cudaGetLastError(), kernel);
  }
  void synchronize(const char* what) const {
    check(cudaStreamSynchronize(stream), what);
    idle = true;
  }
};

constexpr std::int64_t whole_vectors(std::int64_t bytes) { return ceil_div(bytes, 16) * 16; }

/// Device memory, freed in stream order. Sizes are multiples of 16 bytes: atomics on narrow pixels access
/// whole words.
template <class T>
class device_array {
 public:
  device_array() = default;
  device_array(const gpu& on, std::int64_t count) : stream_(on.stream), count_(count) {
    if (count == 0) return;
    const auto bytes = static_cast<std::size_t>(whole_vectors(count * std::int64_t{sizeof(T)}));
    auto** const place = reinterpret_cast<void**>(&data_);
    const auto code = on.pool ? cudaMallocFromPoolAsync(place, bytes, on.pool, on.stream)
                              : cudaMallocAsync(place, bytes, on.stream);
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // it would be reported again by the next launch
      std::size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      throw too_large("cuda: " + std::to_string(bytes >> 20) + " MiB more are needed on GPU " +
                      std::to_string(on.number) + ", " + std::to_string(free >> 20) + " MiB of " +
                      std::to_string(total >> 20) + " are free; use the cpu device or a smaller image");
    }
    check(code, "cudaMallocAsync");
  }
  device_array(device_array&& other) noexcept
      : stream_(other.stream_), data_(std::exchange(other.data_, nullptr)), count_(other.count_) {}
  device_array& operator=(device_array&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~device_array() {
    if (data_) cudaFreeAsync(data_, stream_);
  }

  T* data() const { return data_; }
  /// The caller frees it.
  T* release() { return std::exchange(data_, nullptr); }
  std::int64_t size() const { return count_; }
  /// Every byte to one value.
  void fill_bytes(int value) const {
    if (count_)
      check(cudaMemsetAsync(data_, value, static_cast<std::size_t>(count_) * sizeof(T), stream_),
            "cudaMemsetAsync");
  }

 private:
  cudaStream_t stream_ = nullptr;
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

/// Pinned host memory that kernels can write, one for every type and thread.
template <class T>
T* pinned_place() {
  struct pinned {
    void* data = nullptr;
    pinned() { check(cudaMallocHost(&data, sizeof(T)), "cudaMallocHost"); }
    ~pinned() { cudaFreeHost(data); }
  };
  static thread_local const pinned place;
  return static_cast<T*>(place.data);
}

/// Copies a small struct of results to the host; waits for the stream.
template <class T>
T fetch(const gpu& on, const T* from) {
  T* const there = pinned_place<T>();
  check(cudaMemcpyAsync(there, from, sizeof(T), cudaMemcpyDeviceToHost, on.stream), "cudaMemcpyAsync");
  on.synchronize("cudaStreamSynchronize");
  return *there;
}

}  // namespace macareu::cuda

// Device memory that is zero when taken. Kernels that leave it zero give it back. The next call saves an
// allocation, a memset and the gap before the first kernel: together as long as a small image takes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda {

class zeroed_memory {
 public:
  zeroed_memory(const gpu& on, std::int64_t bytes);
  /// Frees it, unless it was given back.
  ~zeroed_memory();
  zeroed_memory(const zeroed_memory&) = delete;
  zeroed_memory& operator=(const zeroed_memory&) = delete;

  std::byte* data() const { return block_.data; }

  /// Call after the last launch that uses the memory, before give_back: the next user waits for it.
  void launched() const;
  /// Keeps the memory for later calls, or frees it in stream order. The launched kernels must leave it zero.
  void give_back();

  struct block {
    int gpu = 0;
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
    cudaEvent_t used = nullptr;  // when the kernels have ended
  };

 private:
  void free();

  cudaStream_t stream_;
  block block_;
};

}  // namespace macareu::cuda

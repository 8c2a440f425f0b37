// Device memory that is all zeros when it is taken. Kernels that leave it so give it back, which saves the
// next call an allocation and a memset, and the GPU the wait between that and the first kernel: together as
// long as a small image takes.
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

  /// After the last launch of a kernel that uses it, and before give_back: whoever takes it next waits.
  void launched() const;
  /// To later calls, once the kernels are launched, which leave zeros; or frees it, in the order of the
  /// stream.
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

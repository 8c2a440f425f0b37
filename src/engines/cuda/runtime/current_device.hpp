// CUDA's functions work on the GPU that is current in their thread.
#pragma once

#include "engines/cuda/runtime/check.hpp"

namespace macareu::cuda {

/// Makes a GPU current; the destructor restores the caller's.
class current_device {
 public:
  explicit current_device(int gpu) {
    check(cudaGetDevice(&callers_), "cudaGetDevice");
    check(cudaSetDevice(gpu), "cudaSetDevice");
  }
  ~current_device() { cudaSetDevice(callers_); }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;

 private:
  int callers_ = 0;
};

}  // namespace macareu::cuda

// Errors of CUDA's functions.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include <macareu/error.hpp>

namespace macareu::cuda {

/// Nothing failed: what was asked for needs more memory, or larger numbers, than there are.
class too_large : public device_error {
 public:
  using device_error::device_error;
};

inline void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  throw device_error("cuda: " + std::string(what) + ": " + cudaGetErrorString(code) + " (" +
                     std::to_string(static_cast<int>(code)) + ")");
}

}  // namespace macareu::cuda

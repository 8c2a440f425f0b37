// CUDA error codes as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include <macareu/error.hpp>

#include "engines/cuda/runtime/too_large.hpp"

namespace macareu::cuda {

inline void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  throw device_error("cuda: " + std::string(what) + ": " + cudaGetErrorString(code) + " (" +
                     std::to_string(static_cast<int>(code)) + ")");
}

}  // namespace macareu::cuda

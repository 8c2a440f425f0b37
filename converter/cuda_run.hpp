// A function on a GPU: compiled by NVRTC, kept, and started through the driver. Both libraries are loaded
// when they are needed, so a tool that was built without CUDA can do it too.
#pragma once

#include <string>

#include "call.hpp"

namespace macareu::converter {

/// Whether a GPU and NVRTC are here, and if not, why.
bool gpu_available(std::string& why);

/// Machine code for GPUs of this compute capability (90 for 9.0). Needs NVRTC and no GPU. Throws
/// device_error.
std::string compiled_kernels(const description& about, const generation& how, int capability);

struct gpu_times {
  double compute_seconds = 0, transfer_seconds = 0;
};

/// Throws device_error.
gpu_times run_on_gpu(const call& given, int device, result_bytes& result);

}  // namespace macareu::converter

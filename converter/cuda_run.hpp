// Runs a function on a GPU: NVRTC, loaded on demand, compiles it, and the library's cuda engine runs it. The
// compiled kernels are cached. A build without cuda has no GPU to run on.
#pragma once

#include <string>

#include <macareu/context.hpp>

#include "call.hpp"

namespace macareu::converter {

/// Whether `auto` tries a GPU first, with the rule of operators.
bool auto_tries_gpu(const call& given);

/// Machine code for GPUs of this compute capability (90 for 9.0). Needs NVRTC but no GPU. Throws
/// device_error.
std::string compiled_kernels(const description& about, const generation& how, int capability);

/// Uses device and threads of `how`; the threads copy images. Throws as gpu_for_function does, and
/// device_error.
void run_on_gpu(const call& given, const context& how, result_bytes& result);

}  // namespace macareu::converter

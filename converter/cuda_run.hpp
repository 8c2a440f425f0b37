// A function on a GPU: compiled by NVRTC, which is loaded when it is needed, kept, and run by the library's
// cuda engine. A build without that has no GPU to run it on.
#pragma once

#include <string>

#include <macareu/context.hpp>

#include "call.hpp"

namespace macareu::converter {

/// Whether `auto` tries a GPU first: as for operators.
bool auto_tries_gpu(const call& given);

/// Machine code for GPUs of this compute capability (90 for 9.0). Needs NVRTC and no GPU. Throws
/// device_error.
std::string compiled_kernels(const description& about, const generation& how, int capability);

/// Of `how` device and threads, which copy. Throws as gpu_for_function, and device_error.
void run_on_gpu(const call& given, const context& how, result_bytes& result);

}  // namespace macareu::converter

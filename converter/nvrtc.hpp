// The functions of NVRTC that a run needs, looked up on first use, so the tool works without NVRTC. Their
// declarations belong to CUDA's stable C interface.
#pragma once

#include <cstddef>

namespace macareu::converter {

struct nvrtc_library {
  int (*create)(void** program, const char* source, const char* name, int headers, const char* const*,
                const char* const*);
  int (*compile)(void* program, int count, const char* const* options);
  int (*log_size)(void* program, std::size_t* size);
  int (*log)(void* program, char* text);
  int (*code_size)(void* program, std::size_t* size);
  int (*code)(void* program, char* bytes);
  int (*destroy)(void** program);
  int (*version)(int* major, int* minor);
};

/// Throws device_error if the library is missing.
const nvrtc_library& nvrtc();

}  // namespace macareu::converter

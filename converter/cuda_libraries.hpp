// The few functions of NVRTC and of the CUDA driver that a run needs, looked up when they are first used:
// their declarations are part of CUDA's stable C interface.
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

struct driver_library {
  int (*init)(unsigned flags);
  int (*device_count)(int* count);
  int (*device)(int* device, int ordinal);
  int (*attribute)(int* value, int attribute, int device);
  int (*retain_context)(void** context, int device);
  int (*set_context)(void* context);
  int (*load)(void** module, const void* image);
  int (*unload)(void* module);
  int (*function)(void** function, void* module, const char* name);
  int (*memory)(std::size_t* free, std::size_t* all);
  int (*allocate)(unsigned long long* address, std::size_t bytes);
  int (*free)(unsigned long long address);
  int (*upload)(unsigned long long to, const void* from, std::size_t bytes);
  int (*download)(void* to, unsigned long long from, std::size_t bytes);
  int (*fill)(unsigned long long to, unsigned char value, std::size_t bytes);
  int (*launch)(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                unsigned shared_bytes, void* stream, void** parameters, void** extra);
  int (*synchronise)();
  int (*error_text)(int code, const char** text);
};

/// Throw device_error where the library is not there.
const nvrtc_library& nvrtc();
const driver_library& driver();

}  // namespace macareu::converter

/* A CUDA driver with a GPU that computes nothing and has SMALL_GPU_BYTES of memory, and the compiler for it: what
   `run` asks of them can be counted on any machine. */
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;

/* An allocation has at least 16 bytes, which is not worth counting. */
enum { tolerance = 256, out_of_memory = 2 };

static size_t taken;

static size_t memory(void) { return strtoull(getenv("SMALL_GPU_BYTES"), 0, 10); }

int cuInit(unsigned flags) { return 0; }
int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* device, int number) { return *device = number, 0; }
int cuDeviceGetAttribute(int* value, int attribute, int device) { return *value = attribute == 75 ? 9 : 0, 0; }
int cuDevicePrimaryCtxRetain(void** context, int device) { return 0; }
int cuCtxSetCurrent(void* context) { return 0; }
int cuModuleLoadData(void** module, const void* image) { return 0; }
int cuModuleUnload(void* module) { return 0; }
int cuModuleGetFunction(void** function, void* module, const char* name) { return 0; }
int cuMemGetInfo_v2(size_t* unused, size_t* all) { return *unused = *all = memory(), 0; }
int cuMemAlloc_v2(address* at, size_t bytes) {
  taken += bytes;
  return *at = (address)calloc(bytes, 1), taken > memory() + tolerance ? out_of_memory : 0;
}
int cuMemFree_v2(address at) { return 0; }
int cuMemcpyHtoD_v2(address to, const void* from, size_t bytes) { return 0; }
int cuMemcpyDtoH_v2(void* to, address from, size_t bytes) { return memset(to, 0, bytes), 0; }
int cuMemsetD8_v2(address to, unsigned char value, size_t bytes) { return 0; }
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void* stream, void** parameters, void** extra) {
  return 0;
}
int cuCtxSynchronize(void) { return 0; }
int cuGetErrorString(int code, const char** text) { return *text = "out of memory", 0; }

int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers, const char* const* a,
                       const char* const* b) {
  return 0;
}
int nvrtcCompileProgram(void* program, int count, const char* const* options) { return 0; }
int nvrtcGetProgramLogSize(void* program, size_t* size) { return *size = 0, 0; }
int nvrtcGetProgramLog(void* program, char* text) { return 0; }
int nvrtcGetCUBINSize(void* program, size_t* size) { return *size = 0, 0; }
int nvrtcGetCUBIN(void* program, char* code) { return 0; }
int nvrtcDestroyProgram(void** program) { return 0; }
int nvrtcVersion(int* major, int* minor) { return *major = *minor = 0, 0; }

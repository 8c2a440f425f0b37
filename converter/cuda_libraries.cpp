#include "cuda_libraries.hpp"

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include <macareu/error.hpp>

namespace macareu::converter {
namespace {

void* opened(std::initializer_list<const char*> names, const std::string& advice) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  throw device_error(std::string(*names.begin()) + " cannot be loaded: " + advice);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw device_error(std::string("this version of CUDA has no ") + name);
}

nvrtc_library find_nvrtc() {
  void* library =
      opened({"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"},
             "install the CUDA toolkit, which compiles functions for a GPU, or use --device cpu");
  nvrtc_library all{};
  find(library, "nvrtcCreateProgram", all.create);
  find(library, "nvrtcCompileProgram", all.compile);
  find(library, "nvrtcGetProgramLogSize", all.log_size);
  find(library, "nvrtcGetProgramLog", all.log);
  find(library, "nvrtcGetCUBINSize", all.code_size);
  find(library, "nvrtcGetCUBIN", all.code);
  find(library, "nvrtcDestroyProgram", all.destroy);
  find(library, "nvrtcVersion", all.version);
  return all;
}

driver_library find_driver() {
  void* library = opened({"libcuda.so.1"}, "there is no NVIDIA driver; use --device cpu");
  driver_library all{};
  find(library, "cuInit", all.init);
  find(library, "cuDeviceGetCount", all.device_count);
  find(library, "cuDeviceGet", all.device);
  find(library, "cuDeviceGetAttribute", all.attribute);
  find(library, "cuDevicePrimaryCtxRetain", all.retain_context);
  find(library, "cuCtxSetCurrent", all.set_context);
  find(library, "cuModuleLoadData", all.load);
  find(library, "cuModuleUnload", all.unload);
  find(library, "cuModuleGetFunction", all.function);
  find(library, "cuMemGetInfo_v2", all.memory);
  find(library, "cuMemAlloc_v2", all.allocate);
  find(library, "cuMemFree_v2", all.free);
  find(library, "cuMemcpyHtoD_v2", all.upload);
  find(library, "cuMemcpyDtoH_v2", all.download);
  find(library, "cuMemsetD8_v2", all.fill);
  find(library, "cuLaunchKernel", all.launch);
  find(library, "cuCtxSynchronize", all.synchronise);
  find(library, "cuGetErrorString", all.error_text);
  return all;
}

}  // namespace

const nvrtc_library& nvrtc() {
  static const auto all = find_nvrtc();
  return all;
}

const driver_library& driver() {
  static const auto all = find_driver();
  return all;
}

}  // namespace macareu::converter

#include "nvrtc.hpp"

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

}  // namespace

const nvrtc_library& nvrtc() {
  static const auto all = find_nvrtc();
  return all;
}

}  // namespace macareu::converter

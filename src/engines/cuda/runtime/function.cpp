#include "engines/cuda/runtime/function.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <deque>
#include <type_traits>
#include <vector>

#include "engines/cuda/runtime/current_device.hpp"
#include "engines/cuda/runtime/open_gpu.cuh"
#include "engines/cuda/runtime/transfer.hpp"

namespace macareu::cuda {
namespace {

/// Driver functions: the runtime can load modules only since CUDA 12.8. The runtime has loaded the driver
/// already.
struct driver_functions {
  decltype(&cuModuleLoadData) load;
  decltype(&cuModuleUnload) unload;
  decltype(&cuModuleGetFunction) find;
  decltype(&cuLaunchKernel) launch;
  decltype(&cuGetErrorString) text_of;
};

const driver_functions& driver() {
  static const auto found = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY);
    const auto look_up = [&](auto& function, const char* name) {
      void* const address = library ? dlsym(library, name) : nullptr;
      if (!address) throw device_error(std::string("cuda: libcuda.so.1 is missing or lacks ") + name);
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    };
    driver_functions all{};
    look_up(all.load, "cuModuleLoadData");
    look_up(all.unload, "cuModuleUnload");
    look_up(all.find, "cuModuleGetFunction");
    look_up(all.launch, "cuLaunchKernel");
    look_up(all.text_of, "cuGetErrorString");
    return all;
  }();
  return found;
}

void check(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  const char* text = nullptr;
  driver().text_of(code, &text);
  throw device_error("cuda: " + std::string(what) + ": " + (text ? text : "unknown error") + " (" +
                     std::to_string(static_cast<int>(code)) + ")");
}

class library {
 public:
  explicit library(const std::string& code) {
    cuda::check(cudaFree(nullptr), "cudaFree");  // the driver's functions need a context
    check(driver().load(&module_, code.data()), "cuModuleLoadData");
  }
  ~library() { driver().unload(module_); }
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  CUfunction kernel(const char* name) const {
    CUfunction found = nullptr;
    check(driver().find(&found, module_, name), name);
    return found;
  }

 private:
  CUmodule module_ = nullptr;
};

/// Splits the image into parts of three axes, channels included, in the order of the dense copy.
std::vector<host_pixels> parts_of(const const_image_view& image) {
  const auto all = host_pixels_of(typed_view<const std::byte>(image));
  const auto size = static_cast<std::int64_t>(size_of(image.type()));
  const std::int64_t channels = image.channels();
  auto whole = all;
  whole.size = size;
  if (channels == 1) return {whole};
  if (image.channel_stride() == 1 && all.step_x == channels) {
    whole.width *= channels;
    whole.step_x = 1;
    return {whole};
  }
  std::vector<host_pixels> slices;
  for (std::int64_t z = 0; z < all.depth; ++z)
    slices.push_back({all.data + z * all.step_z * size, all.height, all.width, channels, all.step_y,
                      all.step_x, image.channel_stride(), size});
  return slices;
}

class function : public loaded_function {
 public:
  function(job& work, const std::string& code)
      : current_(gpu_of(work.how)), on_(open_gpu(work)), library_(code) {}
  ~function() override { cudaStreamSynchronize(on_.stream); }

  std::byte* memory(std::int64_t bytes) override { return memory_.emplace_back(on_, bytes).data(); }

  void fill(std::byte* at, int value, std::int64_t bytes) override {
    if (bytes > 0)
      cuda::check(cudaMemsetAsync(at, value, static_cast<std::size_t>(bytes), on_.stream), "cudaMemsetAsync");
  }

  void bring(const const_image_view& image, std::byte* to) override {
    if (image.shape().pixels() == 0) return;
    for (const auto& part : parts_of(image)) {
      upload(on_.work, part, {to, part.width}, on_.stream);
      to += part.pixels() * part.size;
    }
  }

  void start(const char* kernel, const launch& how, std::initializer_list<void*> arguments) override {
    std::vector<void*> list(arguments);
    const auto& [blocks, threads, shared_bytes] = how;
    check(driver().launch(library_.kernel(kernel), blocks[0], blocks[1], blocks[2], threads[0], threads[1],
                          threads[2], shared_bytes, on_.stream, list.data(), nullptr),
          kernel);
    on_.launched(kernel);
  }

  void wait() override { on_.synchronize("the function's kernels"); }

  void fetch(const std::byte* from, std::span<std::byte> to) override {
    const auto bytes = static_cast<std::int64_t>(to.size());
    if (bytes == 0) return;
    download(on_.work, {const_cast<std::byte*>(from), bytes}, {to.data(), 1, 1, bytes, bytes, bytes, 1, 1},
             on_.stream);
  }

 private:
  current_device current_;
  gpu on_;
  library library_;
  std::deque<device_array<std::byte>> memory_;
};

}  // namespace

std::unique_ptr<loaded_function> load_function(job& work, const std::string& code) {
  return std::make_unique<function>(work, code);
}

}  // namespace macareu::cuda

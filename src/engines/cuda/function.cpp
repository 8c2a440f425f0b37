#include "engines/cuda/function.hpp"

#include <deque>
#include <vector>

#include "engines/cuda/current_device.hpp"
#include "engines/cuda/open_gpu.cuh"
#include "engines/cuda/transfer.hpp"

namespace macareu::cuda {
namespace {

class library {
 public:
  explicit library(const std::string& code) {
    check(cudaLibraryLoadData(&handle_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "cudaLibraryLoadData");
  }
  ~library() { cudaLibraryUnload(handle_); }
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  const void* kernel(const char* name) const {
    cudaKernel_t found = nullptr;
    check(cudaLibraryGetKernel(&found, handle_, name), name);
    return found;
  }

 private:
  cudaLibrary_t handle_ = nullptr;
};

dim3 dim3_of(const std::array<unsigned, 3>& size) { return {size[0], size[1], size[2]}; }

/// Parts of the image that have three axes together with the channels, one after another in dense memory.
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
      check(cudaMemsetAsync(at, value, static_cast<std::size_t>(bytes), on_.stream), "cudaMemsetAsync");
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
    check(cudaLaunchKernel(library_.kernel(kernel), dim3_of(how.blocks), dim3_of(how.threads), list.data(),
                           how.shared_bytes, on_.stream),
          kernel);
  }

  void wait() override { on_.synchronize("the function's kernels"); }

  int number_at(const std::byte* at) override { return cuda::fetch(on_, reinterpret_cast<const int*>(at)); }

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

namespace cuda {
namespace {

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(code));
}

void require_gpu() {
  std::string why;
  if (!available(why)) throw std::runtime_error(why);
}

/// Memory on the GPU, freed with its owner.
template <class Value>
class device_array {
 public:
  device_array() = default;
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  device_array(device_array&& other) noexcept { swap(other); }
  device_array& operator=(device_array&& other) noexcept {
    swap(other);
    return *this;
  }

  void resize(long long count) {
    size_ = count;
    check(cudaMalloc(reinterpret_cast<void**>(&data_), std::max<std::size_t>(bytes(), 1)),
          "allocating memory");
  }
  void upload(const Value* from) {
    check(cudaMemcpy(data_, from, bytes(), cudaMemcpyHostToDevice), "copying to the GPU");
  }
  void download(Value* to) const {
    check(cudaMemcpy(to, data_, bytes(), cudaMemcpyDeviceToHost), "copying from the GPU");
  }
  void clear() { check(cudaMemset(data_, 0, bytes()), "clearing memory"); }

  Value* data() const { return data_; }
  long long size() const { return size_; }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(Value); }
  void swap(device_array& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  Value* data_ = nullptr;
  long long size_ = 0;
};

}  // namespace

int devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

bool available(std::string& why) {
  int count = 0;
  auto code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count == 0) code = cudaErrorNoDevice;
  // The attributes are available only if the program has code for this GPU.
  const auto kernel = @KERNEL@;
  cudaFuncAttributes attributes;
  if (code == cudaSuccess) code = cudaFuncGetAttributes(&attributes, kernel);
  if (code == cudaSuccess) return true;
  cudaGetLastError();  // clears the error
  int driver = 0;
  const bool no_driver =
      code == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
  why = std::string("no GPU can be used: ") +
        (no_driver ? "no NVIDIA driver is installed" : cudaGetErrorString(code));
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorUnsupportedPtxVersion)
    why += " (CMake's -DCMAKE_CUDA_ARCHITECTURES says which GPUs a program is for)";
  return false;
}

}  // namespace cuda


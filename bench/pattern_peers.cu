#include "pattern_peers.hpp"

#include <cuda_runtime.h>

#include <cstdint>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>

#include <macareu/error.hpp>

#include "device_memory.hpp"

namespace macareu::bench {
namespace {

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw device_error(std::string(what) + ": " + cudaGetErrorString(code));
}

struct peers {
  peers(const image& input, void* on)
      : stream(static_cast<cudaStream_t>(on)),
        pixels(static_cast<std::int64_t>(input.bytes())),
        image_memory(input.bytes()),
        copy_memory(input.bytes()),
        result(4096),
        scratch(1 << 20) {
    image_memory.write(0, {static_cast<const std::byte*>(input.data()), input.bytes()});
    list = {{"copy", [this] { copy(); }},
            {"cub-max", [this] { max(); }},
            {"cub-sum", [this] { sum(); }},
            {"cub-histogram", [this] { histogram(); }}};
  }

  const std::uint8_t* in() const { return static_cast<const std::uint8_t*>(image_memory.data()); }

  void copy() const {
    check(cudaMemcpyAsync(copy_memory.data(), in(), static_cast<std::size_t>(pixels),
                          cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
  }
  void max() const {
    std::size_t bytes = std::size_t{1} << 20;
    check(cub::DeviceReduce::Max(scratch.data(), bytes, in(), static_cast<std::uint8_t*>(result.data()),
                                 pixels, stream),
          "cub::DeviceReduce::Max");
  }
  void sum() const {
    std::size_t bytes = std::size_t{1} << 20;
    check(cub::DeviceReduce::Reduce(scratch.data(), bytes, in(),
                                    static_cast<unsigned long long*>(result.data()), pixels,
                                    cuda::std::plus<unsigned long long>{}, 0ull, stream),
          "cub::DeviceReduce::Sum");
  }
  void histogram() const {
    std::size_t bytes = std::size_t{1} << 20;
    check(cub::DeviceHistogram::HistogramEven(scratch.data(), bytes, in(),
                                              static_cast<std::uint32_t*>(result.data()), 257, 0.0f, 256.0f,
                                              static_cast<int>(pixels), stream),
          "cub::DeviceHistogram");
  }

  cudaStream_t stream;
  std::int64_t pixels;
  device_memory image_memory, copy_memory, result, scratch;
  std::vector<pattern_peer> list;
};

}  // namespace

std::shared_ptr<const std::vector<pattern_peer>> make_pattern_peers(const image& input, void* stream) {
  const auto all = std::make_shared<peers>(input, stream);
  return {all, &all->list};
}

}  // namespace macareu::bench

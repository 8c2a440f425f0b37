#include "engines/cuda/byte_histogram.cuh"

#include <cub/device/device_histogram.cuh>

namespace macareu::cuda {

void count_bytes(const gpu& on, const view<const std::uint8_t>& image, std::uint32_t* counts) {
  constexpr int levels = 257;
  const auto run = [&](void* memory, std::size_t& bytes) {
    check(cub::DeviceHistogram::HistogramEven(memory, bytes, image.data, counts, levels, 0.0f, 256.0f,
                                              image.width, image.height,
                                              static_cast<std::size_t>(image.step_y), on.stream),
          "cub::DeviceHistogram");
  };
  std::size_t bytes = 0;
  run(nullptr, bytes);
  const device_array<std::byte> memory(on, static_cast<std::int64_t>(bytes));
  run(memory.data(), bytes);
}

}  // namespace macareu::cuda

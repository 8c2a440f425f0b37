// Waves in an image of more than 2^32 pixels by every strategy, compared with a formula. `queue` needs
// 100 GiB of GPU memory; runs with MACAREU_LARGE=1.
#include <cstdint>
#include <cstdlib>

#include <macareu/operators.hpp>

#include "cuda/device_memory.hpp"
#include "cuda/on_gpu.hpp"
#include "engines/cuda/runtime/check.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t height = 65536, width = 65537, pixels = height * width;

/// A board of high and low fields; every third column of fields has a marker in each high one.
struct board {
  static constexpr std::int64_t side = 16;
  static constexpr std::uint8_t low = 3;
  std::int64_t y, x;
  explicit __device__ board(std::int64_t pixel) : y(pixel / width), x(pixel % width) {}

  __device__ bool high() const { return (y / side + x / side) % 2 != 0; }
  __device__ bool marked() const { return high() && x / side % 3 == 0; }
  __device__ std::uint8_t level() const { return static_cast<std::uint8_t>(50 + x / side % 50); }

  __device__ std::uint8_t mask() const { return high() ? level() + 50 : low; }
  __device__ std::uint8_t marker() const {
    return marked() && y % side == 7 && x % side == 5 ? level() : std::uint8_t{0};
  }
  __device__ std::uint8_t result() const { return marked() ? level() : low; }
};

__global__ void draw(std::uint8_t* marker, std::uint8_t* mask) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < pixels;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    marker[i] = board(i).marker();
    mask[i] = board(i).mask();
  }
}

__global__ void compare(const std::uint8_t* found, unsigned long long* wrong) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < pixels;
       i += std::int64_t{gridDim.x} * blockDim.x)
    if (found[i] != board(i).result()) atomicAdd(wrong, 1);
}

using large_waves = on_gpu;

TEST_F(large_waves, by_every_strategy) {
  if (!std::getenv("MACAREU_LARGE")) GTEST_SKIP() << "large: needs MACAREU_LARGE=1";
  constexpr unsigned blocks = 4096, threads = 256;
  const extents shape{height, width};
  const device_memory<std::uint8_t> marker(pixels), mask(pixels), found(pixels);
  const device_memory<unsigned long long> wrong(1);
  draw<<<blocks, threads>>>(marker.data(), mask.data());
  cuda::check(cudaDeviceSynchronize(), "draw");
  for (const auto* strategy : {"tiles", "contraction", "auto", "sweep", "queue", "megapixel", "diagonal"}) {
    cuda::check(cudaMemset(found.data(), 77, static_cast<std::size_t>(pixels)), "cudaMemset");
    cuda::check(cudaMemset(wrong.data(), 0, sizeof(unsigned long long)), "cudaMemset");
    reconstruct(const_image_view(marker.data(), shape), const_image_view(mask.data(), shape),
                image_view(found.data(), shape), {.connectivity = 4},
                {.device = "cuda", .strategy = strategy});
    compare<<<blocks, threads>>>(found.data(), wrong.data());
    unsigned long long count = 0;
    cuda::check(cudaMemcpy(&count, wrong.data(), sizeof(count), cudaMemcpyDefault), "compare");
    EXPECT_EQ(count, 0u) << strategy;
  }
}

}  // namespace
}  // namespace macareu::test

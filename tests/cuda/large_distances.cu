// Distances in an image and a volume with more than 2^32 pixels, compared with a formula, and the memory that
// volumes take. Needs 44 GiB of GPU memory; runs with MACAREU_LARGE=1.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "cuda/device_memory.hpp"
#include "cuda/held_memory.hpp"
#include "cuda/on_gpu.hpp"
#include "engines/cuda/runtime/check.hpp"

namespace macareu::test {
namespace {

/// Steps along an axis to the nearest site: sites are 100 apart, from the first place on.
__device__ std::int64_t steps_to_site(std::int64_t place, std::int64_t length) {
  constexpr std::int64_t apart = 100;
  const std::int64_t back = place % apart, ahead = apart - back;
  return place + ahead < length ? min(back, ahead) : back;
}

struct large_shape {
  std::int64_t depth, height, width;

  __device__ std::int64_t square_at(std::int64_t i) const {
    const std::int64_t row = i / width, x = i - row * width, z = row / height, y = row - z * height;
    const std::int64_t dz = steps_to_site(z, depth), dy = steps_to_site(y, height),
                       dx = steps_to_site(x, width);
    return dz * dz + dy * dy + dx * dx;
  }
};

template <class Visit>
__global__ void for_pixels(std::int64_t pixels, Visit visit) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < pixels;
       i += std::int64_t{gridDim.x} * blockDim.x)
    visit(i);
}

struct draw {
  large_shape shape;
  std::uint8_t* to;
  __device__ void operator()(std::int64_t i) const { to[i] = shape.square_at(i) != 0; }
};

struct compare {
  large_shape shape;
  const float* found;
  unsigned long long* wrong;
  __device__ void operator()(std::int64_t i) const {
    if (found[i] != static_cast<float>(sqrt(static_cast<double>(shape.square_at(i))))) atomicAdd(wrong, 1);
  }
};

/// A site is one pixel in a hundred, anywhere.
struct scatter {
  std::uint8_t* to;
  __device__ void operator()(std::int64_t i) const {
    auto mixed = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    to[i] = (mixed >> 32) % 100 != 0;
  }
};

class large_distances : public on_gpu {
 protected:
  void SetUp() override {
    on_gpu::SetUp();
    if (!std::getenv("MACAREU_LARGE")) GTEST_SKIP() << "large: needs MACAREU_LARGE=1";
  }

  static constexpr unsigned blocks = 4096, threads = 256;

  static void transform(const device_memory<std::uint8_t>& sites, const device_memory<float>& found,
                        const extents& shape, const arguments& given = {}) {
    const std::vector<const_image_view> inputs{{sites.data(), shape}};
    const std::vector<image_view> outputs{{found.data(), shape}};
    run_operator(*find_operator("distance_transform"), inputs, outputs, given, {.device = "cuda"});
  }

  static void expect_formula(const extents& shape) {
    const large_shape sides{shape.depth(), shape.height(), shape.width()};
    const auto pixels = shape.pixels();
    const device_memory<std::uint8_t> sites(pixels);
    const device_memory<float> found(pixels);
    const device_memory<unsigned long long> wrong(1);
    cuda::check(cudaMemset(wrong.data(), 0, sizeof(unsigned long long)), "cudaMemset");
    for_pixels<<<blocks, threads>>>(pixels, draw{sides, sites.data()});
    cuda::check(cudaDeviceSynchronize(), "draw");
    transform(sites, found, shape);
    for_pixels<<<blocks, threads>>>(pixels, compare{sides, found.data(), wrong.data()});
    unsigned long long count = 0;
    cuda::check(cudaMemcpy(&count, wrong.data(), sizeof(count), cudaMemcpyDefault), "compare");
    EXPECT_EQ(count, 0u);
  }

  /// Beyond input and output.
  static void expect_bytes_a_pixel(double most, const extents& shape, const arguments& given = {}) {
    const auto pixels = shape.pixels();
    const device_memory<std::uint8_t> sites(pixels);
    const device_memory<float> found(pixels);
    for_pixels<<<blocks, threads>>>(pixels, scatter{sites.data()});
    cuda::check(cudaDeviceSynchronize(), "scatter");
    const auto held = watched([&] { transform(sites, found, shape, given); });
    EXPECT_GT(held.used, pixels / 8);  // a bit for every pixel at least: else nothing was watched
    EXPECT_LE(static_cast<double>(held.used), most * static_cast<double>(pixels));
    ::testing::Test::RecordProperty("used", std::to_string(held.used));
  }
};

TEST_F(large_distances, image) { expect_formula({65536, 65536}); }
/// 8 bytes a voxel must do, 4 are the goal.
TEST_F(large_distances, of_a_volume_take_little_memory) { expect_bytes_a_pixel(4, {2048, 2048, 256}); }
TEST_F(large_distances, of_slices_take_little_memory) { expect_bytes_a_pixel(4, {256, 2048, 2048}); }
TEST_F(large_distances, of_fractional_spacing_take_little_memory) {
  const arguments given{{"spacing", std::vector<number>{0.7, 1.3, 2.1}}};
  expect_bytes_a_pixel(4, {2048, 2048, 256}, given);
  expect_bytes_a_pixel(4, {256, 2048, 2048}, given);
}
TEST_F(large_distances, volume) { expect_formula({1100, 2000, 2000}); }

}  // namespace
}  // namespace macareu::test

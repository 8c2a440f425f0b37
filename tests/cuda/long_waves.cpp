// Waves that travel through more tiles than there are workers: `auto` turns to contraction on the way, and
// does without where that does not fit the memory.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "engines/cuda/check.hpp"
#include "engines/cuda/memory_pool.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

/// One corridor that runs up and down the image's columns, from a marker in a corner.
struct serpentine {
  explicit serpentine(const extents& of_shape) : mask(dtype::u8, of_shape), marker(dtype::u8, of_shape) {
    const auto width = of_shape.width(), height = of_shape.height();
    auto* const pixels = static_cast<std::uint8_t*>(mask.data());
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        const bool wall = x % 3 == 2 && y != (x / 3 % 2 == 0 ? height - 1 : 0);
        pixels[y * width + x] = wall ? 3 : 200;
      }
    std::memset(marker.data(), 0, marker.bytes());
    static_cast<std::uint8_t*>(marker.data())[0] = 150;
  }
  image mask, marker;
};

class long_waves : public on_gpu {};

/// 4096 tiles, where some 1600 workers have room.
TEST_F(long_waves, turn_to_contraction) {
  const serpentine given({2048, 8192});
  for (const int near : {4, 8}) {
    const auto expected = reconstruct(given.marker, given.mask, {.connectivity = near}, serial_);
    run_report report;
    const auto found =
        reconstruct(given.marker, given.mask, {.connectivity = near}, {.device = "cuda", .report = &report});
    EXPECT_TRUE(same_bits(found, expected)) << near << " neighbours";
    EXPECT_EQ(report.strategy, "tiles, then contraction") << near << " neighbours";
    EXPECT_EQ(report.note, "");
  }
}

class device_block {
 public:
  explicit device_block(std::size_t bytes) { cuda::check(cudaMalloc(&data_, bytes), "cudaMalloc"); }
  device_block(device_block&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  device_block& operator=(device_block&&) = delete;
  ~device_block() { cudaFree(data_); }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// All but about `left` bytes of the GPU's memory.
std::vector<device_block> occupy_all_but(std::size_t left) {
  std::vector<device_block> taken;
  for (std::size_t piece = std::size_t{1} << 33; piece >= std::size_t{1} << 24; piece /= 2)
    for (;;) {
      std::size_t free = 0, total = 0;
      cuda::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
      if (free < left + piece) break;
      taken.emplace_back(piece);
    }
  return taken;
}

TEST_F(long_waves, do_without_contraction_where_it_does_not_fit) {
  const serpentine given({4096, 8192});
  const auto bytes = given.mask.bytes();
  const auto expected = reconstruct(given.marker, given.mask, {}, serial_);
  const device_block marker(bytes), mask(bytes), out(bytes);
  const auto copy = [&](void* to, const void* from) {
    cuda::check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
  };
  copy(marker.data(), given.marker.data());
  copy(mask.data(), given.mask.data());
  const auto shape = given.mask.shape();
  const auto run = [&](const char* strategy) {
    run_report report;
    reconstruct(const_image_view(static_cast<const std::uint8_t*>(marker.data()), shape),
                const_image_view(static_cast<const std::uint8_t*>(mask.data()), shape),
                image_view(static_cast<std::uint8_t*>(out.data()), shape), {},
                {.device = "cuda", .strategy = strategy, .report = &report});
    return report;
  };
  run("tiles");  // so that the memory for tiles is there
  cuda::check(cudaMemPoolTrimTo(cuda::memory_pool(0), 0), "cudaMemPoolTrimTo");
  // Contraction takes 5 bytes a pixel.
  const auto taken = occupy_all_but(2 * bytes);
  const auto report = run("auto");
  EXPECT_EQ(report.strategy, "tiles");
  EXPECT_NE(report.note.find("MiB more are needed"), std::string::npos) << report.note;
  EXPECT_NE(report.note.find("computed with tiles alone"), std::string::npos) << report.note;
  image found(dtype::u8, shape);
  copy(found.data(), out.data());
  EXPECT_TRUE(same_bits(found, expected));
}

}  // namespace
}  // namespace macareu::test

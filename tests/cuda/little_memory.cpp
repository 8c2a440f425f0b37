// What happens where the GPU's memory does not suffice. These tests take nearly all of it, so no other may
// run beside them.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/operators.hpp>

#include "cuda/device_memory.hpp"
#include "cuda/on_gpu.hpp"
#include "cuda/serpentine.hpp"
#include "engines/cuda/runtime/check.hpp"
#include "engines/cuda/runtime/memory_pool.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

struct give_back {
  void operator()(void* data) const { cudaFreeAsync(data, nullptr); }
};

class little_memory : public on_gpu {
 protected:
  struct occupied {
    std::vector<device_memory<std::byte>> of_the_gpu;
    std::vector<std::unique_ptr<void, give_back>> of_the_pool;
  };

  /// All of the GPU's memory but what is smaller than about `left` bytes, and of what the library has kept of
  /// it: much of that can not be trimmed, because something small is still in use there.
  static occupied occupy_all_but(std::size_t left) {
    cuda::check(cudaSetDevice(0), "cudaSetDevice");
    cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    cuda::check(cudaMemPoolTrimTo(cuda::memory_pool(0), 0), "cudaMemPoolTrimTo");
    occupied taken;
    for (std::size_t piece = std::size_t{1} << 33; piece >= std::size_t{1} << 21; piece /= 2)
      for (;;) {
        std::size_t free = 0, total = 0;
        cuda::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        if (free < left + piece) break;
        taken.of_the_gpu.emplace_back(static_cast<std::int64_t>(piece));
      }
    for (std::size_t piece = std::size_t{1} << 33; piece >= left; piece /= 2)
      for (void* data = nullptr;
           cudaMallocFromPoolAsync(&data, piece, cuda::memory_pool(0), nullptr) == cudaSuccess;)
        taken.of_the_pool.emplace_back(data);
    cudaGetLastError();  // that there was no more
    return taken;
  }
};

TEST_F(little_memory, waves_do_without_contraction) {
  const serpentine<std::uint8_t> given({2048, 8192});
  const auto bytes = given.mask.bytes();
  const auto pixels = static_cast<std::int64_t>(bytes);
  const auto expected = reconstruct(given.marker, given.mask, {}, serial_);
  const device_memory<std::uint8_t> marker(pixels), mask(pixels), out(pixels);
  const auto copy = [&](void* to, const void* from) {
    cuda::check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
  };
  copy(marker.data(), given.marker.data());
  copy(mask.data(), given.mask.data());
  const auto shape = given.mask.shape();
  const auto run = [&](const char* strategy) {
    run_report report;
    reconstruct(const_image_view(marker.data(), shape), const_image_view(mask.data(), shape),
                image_view(out.data(), shape), {},
                {.device = "cuda", .strategy = strategy, .report = &report});
    return report;
  };
  run("tiles");                                  // so that the memory for tiles is there
  const auto taken = occupy_all_but(bytes / 4);  // contraction takes at least ten times that
  const auto report = run("auto");
  EXPECT_EQ(report.strategy, "tiles");
  EXPECT_NE(report.note.find("no room for strategy contraction"), std::string::npos) << report.note;
  image found(dtype::u8, shape);
  copy(found.data(), out.data());
  EXPECT_TRUE(same_bits(found, expected));
}

TEST_F(little_memory, is_an_error_of_a_named_device_and_nothing_is_written) {
  const noise_pair given({8192, 8192});
  std::vector<std::uint8_t> out(given.mask.size(), 77);
  const auto untouched = out;
  const auto taken = occupy_all_but(given.mask.size());
  const auto refusal = message_of<device_error>([&] {
    reconstruct(given.marker_view(), given.mask_view(), image_view(out.data(), given.shape), {}, cuda_);
  });
  EXPECT_NE(refusal.find("MiB more are needed on GPU 0"), std::string::npos) << refusal;
  EXPECT_EQ(out, untouched);
}

TEST_F(little_memory, auto_falls_back_and_says_so) {
  const noise_pair given({8192, 8192});
  const auto expected = maxima(given.mask_view(), {}, {.device = "cpu"});
  const auto taken = occupy_all_but(given.mask.size());
  run_report report;
  EXPECT_TRUE(same_bits(maxima(given.mask_view(), {}, {.report = &report}), expected));
  EXPECT_EQ(report.device, "cpu");
  EXPECT_NE(report.note.find("; computed on cpu instead"), std::string::npos) << report.note;
}

}  // namespace
}  // namespace macareu::test

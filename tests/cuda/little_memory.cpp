// What happens where the GPU's memory does not suffice. These tests take nearly all of it, so no other may
// run beside them.
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/generate.hpp>
#include <macareu/nuclei.hpp>
#include <macareu/operators.hpp>
#include <macareu/sources.hpp>

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

/// The most bytes that the library has at one time while it runs, beside those it has now.
std::int64_t most_bytes_of(const std::function<void()>& run) {
  const auto pool = cuda::memory_pool(0);
  std::uint64_t before = 0, most = 0, none = 0;
  cuda::check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before),
              "cudaMemPoolGetAttribute");
  cuda::check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none), "cudaMemPoolSetAttribute");
  run();
  cuda::check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most), "cudaMemPoolGetAttribute");
  return static_cast<std::int64_t>(most) - static_cast<std::int64_t>(before);
}

TEST_F(little_memory, is_what_a_call_may_use) {
  constexpr std::int64_t limit = 48 << 20;
  const noise_pair noise({4096, 6000});
  const std::array<const_image_view, 2> both{noise.marker_view(), noise.mask_view()};
  const struct {
    const char* name;
    arguments given;
  } cases[] = {{"reconstruct", {}},
               {"fill_holes", {}},
               {"label", {}},
               {"median", {}},
               {"distance_transform", {}},
               {"opening", {{"radius", number(4)}}},
               {"watershed", {}},
               {"gaussian", {{"sigma", std::vector<number>{2.0}}}}};
  for (const auto& [name, given] : cases) {
    const auto& about = *find_operator(name);
    const auto inputs = std::span(both).last(std::string_view(name) == "reconstruct" ? 2 : 1);
    const auto right = run_operator(about, inputs, given, {.device = "cpu"});
    std::vector<image> found;
    const auto most = most_bytes_of(
        [&] { found = run_operator(about, inputs, given, {.device = "cuda", .gpu_memory = limit}); });
    EXPECT_TRUE(same_bits(found[0], right[0])) << name;
    EXPECT_LE(most, limit) << name;
    EXPECT_GT(most, 0) << name;
  }
}

TEST_F(little_memory, is_what_nuclei_may_use) {
  const auto rgb = generate("slide", {1500, 2000}, {.seed = 5, .coverage = 75}).mask;
  const auto pixels = rgb.shape().pixels(), limit = 56 * pixels;
  const auto right = find_nuclei(rgb, 0.25, {}, {.device = "cpu"});
  image found;
  const auto most =
      most_bytes_of([&] { found = find_nuclei(rgb, 0.25, {}, {.device = "cuda", .gpu_memory = limit}); });
  EXPECT_TRUE(same_bits(found, right));
  EXPECT_LE(most, limit);
  EXPECT_GT(most, 16 * pixels);  // images stay on the GPU
}

/// Images of all steps stay on the GPU, until there is no room for them.
TEST_F(little_memory, nuclei_leave_the_gpu) {
  class slide_that_leaves_little final : public image_source {
   public:
    explicit slide_that_leaves_little(const image& rgb) : pixels_(source_of(rgb)) {}
    const source_form& form() const override { return pixels_->form(); }
    void read(const image_region& from, void* to) override {
      // On the GPU the slide is read once, and again where images are kept on the host.
      taken_ = reads_++ == 0 ? std::optional(occupy_all_but(std::size_t{64} << 20)) : std::nullopt;
      pixels_->read(from, to);
    }

   private:
    std::unique_ptr<image_source> pixels_;
    std::optional<occupied> taken_;
    int reads_ = 0;
  };
  const auto rgb = generate("slide", {2048, 3072}, {.seed = 5, .coverage = 75}).mask;
  nuclei_report expected, found;
  const auto right = find_nuclei(rgb, 0.25, {}, {.device = "cpu"}, &expected);
  slide_that_leaves_little slide(rgb);
  image labels(dtype::u32, rgb.shape());
  run_report ran;
  find_nuclei(slide, nullptr, 0.25, *sink_to(labels), {}, {.device = "cuda", .report = &ran}, {}, &found);
  EXPECT_NE(ran.note.find("kept in host memory instead"), std::string::npos) << ran.note;
  EXPECT_TRUE(same_bits(labels, right));
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.seconds.size(), expected.seconds.size());  // of one attempt
}

}  // namespace
}  // namespace macareu::test

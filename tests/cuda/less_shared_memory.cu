// Waves on GPUs whose blocks have less shared memory than that of this machine: 163 KiB with compute
// capability 8.0, 99 with 8.6, 8.9 and 12.0.
#include <cstdint>
#include <string>
#include <vector>

#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "engines/cuda/runtime/open_gpu.cuh"
#include "engines/cuda/runtime/shared_memory.cuh"
#include "engines/cuda/wave/bottleneck.cuh"
#include "support/same.hpp"

namespace macareu::test {
namespace {

constexpr int of_8_0 = 163 << 10, of_8_6 = 99 << 10;

class less_shared_memory : public on_gpu {
 protected:
  /// A wave of noise by `strategy`, on a GPU of which a block can have so many bytes. What ran.
  template <class Key>
  static std::string strategy_that_ran(const extents& shape, int neighbours, neighbourhood near, int bytes,
                                       const char* strategy) {
    const noise_pair noise(shape);
    const std::vector<Key> marker(noise.marker.begin(), noise.marker.end()),
        mask(noise.mask.begin(), noise.mask.end());
    const auto expected =
        reconstruct(const_image_view(marker.data(), shape), const_image_view(mask.data(), shape),
                    {.connectivity = neighbours}, {.device = "serial"});

    const context how{.device = "cuda", .strategy = strategy};
    job work{how, {}};
    auto on = cuda::open_gpu(work);
    on.shared_memory = bytes;
    const auto count = static_cast<std::int64_t>(mask.size());
    const cuda::device_array<Key> start(on, count), capacity(on, count), state(on, count);
    const auto copy = [&](void* to, const void* from) {
      cuda::check(cudaMemcpy(to, from, mask.size() * sizeof(Key), cudaMemcpyDefault), "cudaMemcpy");
    };
    copy(start.data(), marker.data());
    copy(capacity.data(), mask.data());
    const auto of = [&]<class T>(T* data) {
      const auto height = shape.height(), width = shape.width();
      return view<T>{data, count / (height * width), height, width, height * width, width, 1};
    };
    cuda::run_bottleneck<Key>(on, {of(state.data()),
                                   of(static_cast<const Key*>(start.data())),
                                   of(static_cast<const Key*>(capacity.data())),
                                   {},
                                   near});
    on.synchronize("cudaStreamSynchronize");
    image found(dtype_of<Key>, shape);
    copy(found.data(), state.data());
    EXPECT_TRUE(same_bits(found, expected));
    return work.report.strategy;
  }

  /// Or else contraction computes alone.
  template <class Key>
  static bool starts_with_tiles(const extents& shape, int neighbours, neighbourhood near, int bytes) {
    const auto ran = strategy_that_ran<Key>(shape, neighbours, near, bytes, "auto");
    EXPECT_TRUE(ran.starts_with("tiles") || ran == "contraction") << ran;
    return ran != "contraction";
  }
};

TEST_F(less_shared_memory, leaves_waves_to_contraction) {
  const extents image{300, 500}, volume{20, 50, 90};
  EXPECT_TRUE(starts_with_tiles<std::uint8_t>(image, 8, {2, 2}, of_8_6));
  EXPECT_TRUE(starts_with_tiles<std::uint16_t>(image, 4, {2, 1}, of_8_6));
  EXPECT_FALSE(starts_with_tiles<std::uint16_t>(image, 8, {2, 2}, of_8_6));
  EXPECT_TRUE(starts_with_tiles<std::uint16_t>(image, 8, {2, 2}, of_8_0));
  EXPECT_FALSE(starts_with_tiles<std::uint64_t>(image, 8, {2, 2}, of_8_6));
  EXPECT_FALSE(starts_with_tiles<std::uint64_t>(volume, 6, {3, 1}, of_8_0));
}

TEST_F(less_shared_memory, is_told_where_a_strategy_was_asked_for) {
  const auto refusal = message_of<device_error>([&] {
    strategy_that_ran<std::uint16_t>({300, 500}, 8, {2, 2}, of_8_6, "tiles");
  });
  EXPECT_EQ(refusal,
            "cuda: strategy tiles needs 107520 bytes of shared memory per block, but GPU 0 has 101376; use "
            "another strategy or the cpu device");
}

}  // namespace
}  // namespace macareu::test

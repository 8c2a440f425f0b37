// The cuda device with images in the host's memory: they are brought over and back, and only once all is
// well.
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <macareu/device_memory.hpp>
#include <macareu/error.hpp>
#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

using host_images = on_gpu;

const extents shapes[] = {{1, 1},     {1, 100'000}, {100'000, 1}, {3, 65},      {70, 63},
                          {257, 513}, {1, 1, 5000}, {40, 1, 33},  {17, 33, 65}, {2500, 2500}};

TEST_F(host_images, of_every_shape) {
  for (const auto& shape : shapes) {
    const noise_pair given(shape);
    EXPECT_TRUE(same_bits(reconstruct(given.marker_view(), given.mask_view(), {}, cuda_),
                          reconstruct(given.marker_view(), given.mask_view(), {}, serial_)))
        << to_string(shape);
    EXPECT_TRUE(same_bits(h_maxima(given.mask_view(), {.h = 30}, cuda_),
                          h_maxima(given.mask_view(), {.h = 30}, serial_)))
        << to_string(shape);
  }
}

// First visits of tiles are cut short where there are more tiles than workers; rows aligned, and not.
TEST_F(host_images, of_more_tiles_than_workers) {
  for (const auto& shape : {extents{3100, 4096}, extents{3111, 4001}})
    for (const int near : {4, 8}) {
      const noise_pair given(shape);
      EXPECT_TRUE(same_bits(
          reconstruct(given.marker_view(), given.mask_view(), {.connectivity = near},
                      {.device = "cuda", .strategy = "tiles"}),
          reconstruct(given.marker_view(), given.mask_view(), {.connectivity = near}, {.device = "cpu"})))
          << to_string(shape) << ", " << near << " neighbours";
    }
}

/// Nothing spreads where all start alike: by any key, and where tiles are not whole.
template <class T>
void expect_no_passes(const extents& shape, reconstruct_by by, int near) {
  SCOPED_TRACE(std::string(name_of(dtype_of<T>)) + ", " + to_string(shape) + ", " + std::to_string(near));
  const bool erosion = by == reconstruct_by::erosion;
  std::vector<T> marker(static_cast<std::size_t>(shape.pixels()), T(erosion ? 100 : 7)), mask(marker);
  dice from(seed_of("start alike"));
  for (T& one : mask) one = static_cast<T>(erosion ? one - from.below(90) : one + from.below(90));
  const const_image_view start(marker.data(), shape), most(mask.data(), shape);
  const reconstruct_options how{.by = by, .connectivity = near};
  run_report report;
  const context tiles{.device = "cuda", .strategy = "tiles", .report = &report}, serial{.device = "serial"};
  EXPECT_TRUE(same_bits(reconstruct(start, most, how, tiles), start));
  EXPECT_EQ(report.passes, 0);
  EXPECT_GT(report.tiles, 0);
  marker[77] = mask[77] = T(erosion ? 3 : 120);  // one does not
  EXPECT_TRUE(same_bits(reconstruct(start, most, how, tiles), reconstruct(start, most, how, serial)));
  EXPECT_GT(report.passes, 0);
}

TEST_F(host_images, that_start_alike_take_no_passes) {
  for (const auto& shape : {extents{512, 640}, extents{300, 401}})
    for (const auto by : {reconstruct_by::dilation, reconstruct_by::erosion})
      for (const int near : {4, 8}) {
        expect_no_passes<std::uint8_t>(shape, by, near);
        expect_no_passes<std::int16_t>(shape, by, near);
        expect_no_passes<float>(shape, by, near);
        expect_no_passes<double>(shape, by, near);
      }
}

TEST_F(host_images, empty) {
  const image nothing(dtype::u16, extents{0, 7});
  EXPECT_EQ(fill_holes(nothing, {}, cuda_).shape(), nothing.shape());
}

TEST_F(host_images, with_any_strides) {
  for (const auto& shape : {extents{211, 137}, extents{1, 5000}, extents{9, 31, 70}})
    for (int i = 0; i < 10; ++i) {
      const noise_pair given(shape);
      dice from(seed_of("with_any_strides", shape.pixels(), i));
      strided_image marker(from, dtype::u8, shape), mask(from, dtype::u8, shape), out(from, dtype::u8, shape);
      marker.assign(given.marker_view());
      mask.assign(given.mask_view());
      reconstruct(marker, mask, out.view(), {}, cuda_);
      EXPECT_TRUE(same_bits(out, reconstruct(given.marker_view(), given.mask_view(), {}, serial_)));
      EXPECT_TRUE(out.gaps_untouched());
    }
}

TEST_F(host_images, in_place) {
  noise_pair given({300, 401});
  const auto expected = reconstruct(given.marker_view(), given.mask_view(), {}, serial_);
  reconstruct(given.marker_view(), given.mask_view(), image_view(given.marker.data(), given.shape), {},
              cuda_);
  EXPECT_TRUE(same_bits(given.marker_view(), expected));
}

TEST_F(host_images, transfers_are_told_apart) {
  const noise_pair given({2000, 3000});
  run_report report;
  reconstruct(given.marker_view(), given.mask_view(), {}, {.device = "cuda:0", .report = &report});
  EXPECT_EQ(report.device, "cuda:0");
  EXPECT_GT(report.transfer_seconds, 0);
  EXPECT_GT(report.compute_seconds, 0);
  EXPECT_EQ(report.note, "");
}

TEST_F(host_images, a_refused_marker_is_named_and_nothing_is_written) {
  for (const auto& shape : {extents{300, 500}, extents{9, 40, 70}}) {
    noise_pair given(shape);
    const auto bad = given.mask.size() * 2 / 3;
    given.mask[bad] = 17;
    given.marker[bad] = 18;
    std::vector<std::uint8_t> out(given.mask.size(), 0xa5);
    const auto refuse = [&](const context& how) {
      return message_of<usage_error>([&] {
        reconstruct(given.marker_view(), given.mask_view(), image_view(out.data(), shape), {}, how);
      });
    };
    const auto refusal = refuse(cuda_);
    EXPECT_EQ(refusal, refuse(serial_));
    EXPECT_NE(refusal.find("marker 18 is above mask 17"), std::string::npos) << refusal;
    EXPECT_TRUE(std::ranges::all_of(out, [](int value) { return value == 0xa5; }));
  }
}

TEST_F(host_images, nan_is_named) {
  std::vector<float> pixels(200 * 300, 1);
  pixels[150 * 300 + 7] = std::numeric_limits<float>::quiet_NaN();
  const auto refusal = message_of<usage_error>([&] {
    maxima(const_image_view(pixels.data(), {200, 300}), {}, cuda_);
  });
  EXPECT_NE(refusal.find("NaN at row 150, column 7"), std::string::npos) << refusal;
}

TEST_F(host_images, calls_from_several_threads) {
  const noise_pair given({700, 900});
  const auto expected = fill_holes(given.mask_view(), {}, serial_);
  std::vector<image> results(4);
  {
    std::vector<std::jthread> callers;
    for (auto& result : results)
      callers.emplace_back([&] { result = fill_holes(given.mask_view(), {}, cuda_); });
  }
  for (const auto& result : results) EXPECT_TRUE(same_bits(result, expected));
}

TEST_F(host_images, a_gpu_that_is_not_there) {
  const noise_pair given({20, 20});
  const auto refusal =
      message_of<device_error>([&] { maxima(given.mask_view(), {}, {.device = "cuda:99"}); });
  EXPECT_NE(refusal.find("'cuda:99'"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find(std::to_string(this_machine().gpus.size()) + " GPU"), std::string::npos) << refusal;
  for (const auto* name : {"cuda:", "cuda:x", "cuda:-1", "cuda1"}) {
    const auto typing = message_of<usage_error>([&] { maxima(given.mask_view(), {}, {.device = name}); });
    EXPECT_NE(typing.find("cuda:N"), std::string::npos) << typing;
  }
}

/// Memory of <macareu/device_memory.hpp>, in which images stay between calls.
TEST_F(host_images, go_to_memory_that_the_caller_keeps) {
  const noise_pair given({70, 63});
  const auto bytes = given.mask.size();
  void* const there = device_memory::allocate(bytes);
  device_memory::copy_to_device(there, given.mask.data(), bytes);
  const image_view kept(there, dtype::u8, given.shape, contiguous_strides(given.shape));
  const std::vector<const_image_view> inputs{kept};
  const std::vector<image_view> outputs{kept};
  run_operator(*find_operator("invert"), inputs, outputs, {}, cuda_);
  image found(dtype::u8, given.shape);
  device_memory::wait();
  device_memory::copy_to_host(found.data(), there, bytes);
  device_memory::release(there);
  EXPECT_TRUE(same_bits(found, invert(given.mask_view(), {}, serial_)));
  EXPECT_GE(device_memory::current_gpu(), 0);
}

}  // namespace
}  // namespace macareu::test

// The cuda device with images in device, managed and pinned memory, and on a stream of the caller's.
#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "cuda/serpentine.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

using device_images = on_gpu;

enum class memory { device, managed, pinned };

/// An image of bytes in CUDA's memory; rows are `pitch` bytes apart.
class cuda_image {
 public:
  cuda_image(memory kind, const extents& shape, std::int64_t pitch)
      : kind_(kind), shape_(shape), pitch_(pitch) {
    const auto bytes = static_cast<std::size_t>(shape.depth() * shape.height() * pitch);
    EXPECT_EQ(allocate(bytes), cudaSuccess);
  }
  cuda_image(memory kind, const extents& shape, std::int64_t pitch, const std::vector<std::uint8_t>& values)
      : cuda_image(kind, shape, pitch) {
    copy(data_, pitch_, values.data(), shape.width());
  }
  ~cuda_image() { kind_ == memory::pinned ? cudaFreeHost(data_) : cudaFree(data_); }
  cuda_image(const cuda_image&) = delete;
  cuda_image& operator=(const cuda_image&) = delete;

  operator image_view() const {
    strides steps{shape_.height() * pitch_, pitch_, 1};
    if (shape_.rank() == 2) steps = {pitch_, 1};
    return {static_cast<std::uint8_t*>(data_), shape_, steps};
  }
  operator const_image_view() const { return image_view(*this); }
  image on_host() const {
    image copied(dtype::u8, shape_);
    copy(copied.data(), shape_.width(), data_, pitch_);
    return copied;
  }
  void* data() const { return data_; }

 private:
  cudaError_t allocate(std::size_t bytes) {
    if (kind_ == memory::device) return cudaMalloc(&data_, bytes);
    if (kind_ == memory::managed) return cudaMallocManaged(&data_, bytes);
    return cudaMallocHost(&data_, bytes);
  }
  void copy(void* to, std::int64_t to_pitch, const void* from, std::int64_t from_pitch) const {
    EXPECT_EQ(cudaMemcpy2D(to, static_cast<std::size_t>(to_pitch), from, static_cast<std::size_t>(from_pitch),
                           static_cast<std::size_t>(shape_.width()),
                           static_cast<std::size_t>(shape_.depth() * shape_.height()), cudaMemcpyDefault),
              cudaSuccess);
  }

  memory kind_;
  extents shape_;
  std::int64_t pitch_;
  void* data_ = nullptr;
};

/// Dense, with aligned rows, and with rows that no vector load fits.
std::vector<std::int64_t> pitches(const extents& shape) {
  return {shape.width(), (shape.width() + 63) / 64 * 64, shape.width() + 5};
}

TEST_F(device_images, in_every_memory) {
  for (const auto& shape : {extents{301, 417}, extents{512, 1024}, extents{1, 7000}, extents{11, 40, 65}}) {
    const noise_pair given(shape);
    const auto expected = reconstruct(given.marker_view(), given.mask_view(), {}, serial_);
    for (const auto kind : {memory::device, memory::managed, memory::pinned})
      for (const auto pitch : pitches(shape)) {
        const cuda_image marker(kind, shape, pitch, given.marker), mask(kind, shape, pitch, given.mask);
        const cuda_image out(kind, shape, pitch);
        run_report report;
        reconstruct(marker, mask, out, {}, {.device = "cuda", .report = &report});
        EXPECT_TRUE(same_bits(out.on_host(), expected))
            << to_string(shape) << ", memory " << static_cast<int>(kind) << ", pitch " << pitch;
        EXPECT_EQ(report.transfer_seconds > 0, kind == memory::pinned) << "device memory is used as it is";
      }
  }
}

TEST_F(device_images, in_place) {
  const noise_pair given({300, 401});
  const cuda_image marker(memory::device, given.shape, 401, given.marker);
  const cuda_image mask(memory::device, given.shape, 448, given.mask);
  reconstruct(marker, mask, marker, {}, cuda_);
  EXPECT_TRUE(same_bits(marker.on_host(), reconstruct(given.marker_view(), given.mask_view(), {}, serial_)));
}

TEST_F(device_images, beside_host_images) {
  const noise_pair given({300, 401});
  const cuda_image mask(memory::device, given.shape, 448, given.mask);
  const auto expected = reconstruct(given.marker_view(), given.mask_view(), {}, serial_);
  EXPECT_TRUE(same_bits(reconstruct(given.marker_view(), mask, {}, cuda_), expected));
  const cuda_image out(memory::device, given.shape, 401);
  reconstruct(given.marker_view(), given.mask_view(), out, {}, cuda_);
  EXPECT_TRUE(same_bits(out.on_host(), expected));
}

TEST_F(device_images, a_refused_marker_is_named) {
  noise_pair given({30, 50});
  given.mask[777] = 17;
  given.marker[777] = 18;
  const cuda_image marker(memory::device, given.shape, 50, given.marker);
  const cuda_image mask(memory::device, given.shape, 50, given.mask);
  const auto refusal = message_of<usage_error>([&] { reconstruct(marker, mask, {}, cuda_); });
  EXPECT_NE(refusal.find("marker 18 is above mask 17 at row 15, column 27"), std::string::npos) << refusal;
}

TEST_F(device_images, are_not_for_other_devices) {
  const noise_pair given({30, 50});
  const cuda_image mask(memory::device, given.shape, 50, given.mask);
  for (const auto* name : {"cpu", "serial"}) {
    const auto refusal =
        message_of<usage_error>([&] { reconstruct(given.marker_view(), mask, {}, {.device = name}); });
    EXPECT_NE(refusal.find("mask is in the memory of a GPU"), std::string::npos) << refusal;
  }
  const cuda_image managed(memory::managed, given.shape, 50, given.mask);
  EXPECT_TRUE(
      same_bits(fill_holes(managed, {}, {.device = "cpu"}), fill_holes(given.mask_view(), {}, serial_)))
      << "the host can read managed memory";
}

TEST_F(device_images, auto_goes_where_they_are) {
  const noise_pair given({30, 50});
  const cuda_image mask(memory::device, given.shape, 50, given.mask);
  run_report report;
  const auto result = fill_holes(mask, {}, {.report = &report});
  EXPECT_EQ(report.device, "cuda");
  EXPECT_TRUE(same_bits(result, fill_holes(given.mask_view(), {}, serial_)));
}

TEST_F(device_images, from_a_thread_that_is_new_to_cuda) {
  const noise_pair given({300, 200});
  const cuda_image mask(memory::device, given.shape, 200, given.mask);
  image result;
  std::jthread([&] { result = fill_holes(mask, {}, {}); }).join();
  EXPECT_TRUE(same_bits(result, fill_holes(given.mask_view(), {}, serial_)));
}

class stream {
 public:
  stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~stream() { cudaStreamDestroy(stream_); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// The input is written by work that is still in the stream when the call comes.
TEST_F(device_images, on_the_callers_stream) {
  const noise_pair given({2000, 2000});
  const auto expected = fill_holes(given.mask_view(), {}, serial_);
  const cuda_image source(memory::device, given.shape, 2000, given.mask);
  const cuda_image mask(memory::device, given.shape, 2000, std::vector<std::uint8_t>(given.mask.size()));
  const cuda_image out(memory::device, given.shape, 2000);
  const stream own;
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(cudaMemcpyAsync(mask.data(), source.data(), given.mask.size(), cudaMemcpyDefault, own),
              cudaSuccess);
  fill_holes(mask, out, {}, {.device = "cuda", .stream = static_cast<cudaStream_t>(own)});
  ASSERT_EQ(cudaStreamSynchronize(own), cudaSuccess);
  EXPECT_TRUE(same_bits(out.on_host(), expected));
}

/// A stream that is held up for longer than a call takes to come back.
class busy_stream : public stream {
 public:
  busy_stream() {
    const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
    EXPECT_EQ(cudaLaunchHostFunc(*this, sleep, nullptr), cudaSuccess);
  }
};

TEST_F(device_images, may_come_after_the_call) {
  if (std::getenv("CUDA_LAUNCH_BLOCKING")) GTEST_SKIP() << "every launch waits";
  const noise_pair given({200, 300});
  const distance_transform_options how{.squared = true, .invert = true};
  const auto expected = distance_transform(given.mask_view(), how, serial_);
  distance_transform(given.mask_view(), how, cuda_);  // kernels are loaded
  for (const bool wait : {false, true})
    for (const auto kind : {memory::device, memory::managed}) {
      const cuda_image mask(kind, given.shape, 300, given.mask), out(kind, {200, 4 * 300}, 4 * 300);
      const busy_stream own;
      distance_transform(mask, {static_cast<std::uint32_t*>(out.data()), given.shape}, how,
                         {.device = "cuda", .stream = static_cast<cudaStream_t>(own), .wait = wait});
      EXPECT_EQ(cudaStreamQuery(own), kind == memory::device && !wait ? cudaErrorNotReady : cudaSuccess)
          << "what the host can read is there";
      ASSERT_EQ(cudaStreamSynchronize(own), cudaSuccess);
      EXPECT_EQ(std::memcmp(out.on_host().data(), expected.data(), expected.bytes()), 0);
    }
}

/// Of every operator that makes images of an image, by calls of which nobody waits for the first.
TEST_F(device_images, are_in_the_order_of_the_stream) {
  const noise_pair given({150, 230});
  const std::map<std::string_view, arguments> needed{{"hmax", {{"h", number(20)}}},
                                                     {"hmin", {{"h", number(20)}}},
                                                     {"hdome", {{"h", number(20)}}},
                                                     {"h_maxima", {{"h", number(20)}}},
                                                     {"h_minima", {{"h", number(20)}}}};
  int ran = 0;
  for (const auto& about : catalogue()) {
    if (about.inputs.size() != 1 || !about.table.empty()) continue;
    SCOPED_TRACE(about.name);
    const auto found = needed.find(about.name);
    const auto values = found == needed.end() ? arguments{} : found->second;
    const std::vector<const_image_view> host{given.mask_view()};
    image expected;
    try {
      expected = std::move(run_operator(about, host, values, serial_).at(0));
    } catch (const usage_error&) {
      continue;  // parameters without a default
    }
    const auto bytes = static_cast<std::int64_t>(expected.bytes());
    const cuda_image first(memory::device, {1, bytes}, bytes), second(memory::device, {1, bytes}, bytes);
    const auto& shape = expected.shape();  // that of the input, but for operators that scale
    image_view outs[] = {{first.data(), expected.type(), shape, contiguous_strides(shape)},
                         {second.data(), expected.type(), shape, contiguous_strides(shape)}};
    const busy_stream own;
    const context how{.device = "cuda", .stream = static_cast<cudaStream_t>(own), .wait = false};
    void* mask = nullptr;
    ASSERT_EQ(cudaMallocAsync(&mask, given.mask.size(), own), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(mask, given.mask.data(), given.mask.size(), cudaMemcpyDefault, own),
              cudaSuccess);
    const std::vector<const_image_view> inputs{{static_cast<std::uint8_t*>(mask), given.shape}};
    for (auto& out : outs) run_operator(about, inputs, {&out, 1}, values, how);
    ASSERT_EQ(cudaMemsetAsync(mask, 0, given.mask.size(), own), cudaSuccess);  // it is no longer needed
    ASSERT_EQ(cudaFreeAsync(mask, own), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(own), cudaSuccess);
    for (const auto* each : {&first, &second})
      EXPECT_EQ(std::memcmp(each->on_host().data(), expected.data(), expected.bytes()), 0);
    ++ran;
  }
  EXPECT_GE(ran, 15);
}

/// The memory that waves keep for each other goes from stream to stream while kernels still end.
/// Sizes and strategies of all kinds at a time, every call with a result of its own, which nobody waits for.
/// The serpentine is given up, so contraction begins while others take the memory of its tiles.
TEST_F(device_images, waves_of_several_threads_on_their_own_streams) {
  struct pair_on_gpu {
    pair_on_gpu(const const_image_view& from, const const_image_view& under)
        : shape(from.shape()),
          marker(memory::device, shape, shape.width(), bytes_of(from)),
          mask(memory::device, shape, shape.width(), bytes_of(under)),
          expected(reconstruct(from, under, {}, {.device = "serial"})) {}
    static std::vector<std::uint8_t> bytes_of(const const_image_view& dense) {
      const auto* const first = static_cast<const std::uint8_t*>(dense.data());
      return {first, first + dense.shape().pixels()};
    }
    extents shape;
    cuda_image marker, mask;
    image expected;
  };
  const noise_pair large({1000, 1100}), small({130, 257});
  const serpentine<std::uint8_t> long_way({1024, 8192});
  const std::array<pair_on_gpu, 3> pairs{pair_on_gpu(large.marker_view(), large.mask_view()),
                                         pair_on_gpu(small.marker_view(), small.mask_view()),
                                         pair_on_gpu(long_way.marker, long_way.mask)};
  const auto call = [&](std::size_t caller) {
    const stream own;
    constexpr std::array strategies{"tiles", "contraction", "auto"};
    std::deque<cuda_image> results;
    const auto source = [&](std::size_t i) -> const pair_on_gpu& { return pairs[i % 3]; };
    for (std::size_t i = 0; i < 18; ++i)
      results.emplace_back(memory::device, source(i).shape, source(i).shape.width());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const bool turns = i % 3 == 2;
      run_report report;
      const context how{.device = "cuda",
                        .strategy = turns ? "auto" : strategies[(caller + i / 3) % 3],
                        .report = &report,
                        .stream = static_cast<cudaStream_t>(own),
                        .wait = false};
      reconstruct(source(i).marker, source(i).mask, results[i], {}, how);
      if (turns) {
        EXPECT_EQ(report.strategy, "tiles, then contraction");
      }
    }
    ASSERT_EQ(cudaStreamSynchronize(own), cudaSuccess);
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_TRUE(same_bits(results[i].on_host(), source(i).expected)) << caller << ", " << i;
  };
  std::vector<std::jthread> callers;
  for (std::size_t caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] { EXPECT_NO_THROW(call(caller)); });
}

/// A stream that is being captured cannot be waited for: a device that fails.
class failing_stream {
 public:
  failing_stream() { EXPECT_EQ(cudaStreamBeginCapture(own_, cudaStreamCaptureModeThreadLocal), cudaSuccess); }
  ~failing_stream() {
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(own_, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
  }
  operator void*() const { return static_cast<cudaStream_t>(own_); }

 private:
  stream own_;
};

TEST_F(device_images, a_device_that_fails_is_an_error_and_writes_nothing) {
  noise_pair given({300, 400});
  const auto before = given.marker;
  const auto expected = reconstruct(given.marker_view(), given.mask_view(), {}, serial_);
  const image_view out(given.marker.data(), given.shape);
  {
    const failing_stream bad;
    message_of<device_error>([&] {
      reconstruct(given.marker_view(), given.mask_view(), out, {}, {.device = "cuda", .stream = bad});
    });
  }
  EXPECT_EQ(given.marker, before);
  reconstruct(given.marker_view(), given.mask_view(), out, {}, cuda_);
  EXPECT_TRUE(same_bits(given.marker_view(), expected)) << "the next call is fresh";
}

TEST_F(device_images, auto_falls_back_and_says_so) {
  const extents large{8192, 8192};
  noise_pair given({256, 256});
  image mask(dtype::u8, large);
  std::memset(mask.data(), 9, mask.bytes());
  run_report report;
  const auto chosen = fill_holes(mask, {}, {.report = &report});
  if (report.device != "cuda") GTEST_SKIP() << "auto takes " << report.device << " for " << to_string(large);
  {
    const failing_stream bad;
    EXPECT_TRUE(same_bits(fill_holes(mask, {}, {.report = &report, .stream = bad}), chosen));
  }
  EXPECT_EQ(report.device, "cpu");
  EXPECT_NE(report.note.find("computed on cpu instead"), std::string::npos) << report.note;
  EXPECT_EQ(report.note.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace macareu::test

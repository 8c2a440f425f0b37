// Functions that are compiled while the program runs, on the engine's device, memory and transfers.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <macareu/error.hpp>

#include "cuda/on_gpu.hpp"
#include "engines/cuda/runtime/function.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

/// void add_one(unsigned char* bytes, unsigned count), for all GPUs: the driver makes machine code of it.
const std::string add_one = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 bytes, .param .u32 count)
{
  .reg .pred %outside;
  .reg .b32 %n, %i, %threads, %thread, %value;
  .reg .b64 %at, %offset;
  ld.param.u64 %at, [bytes];
  ld.param.u32 %n, [count];
  mov.u32 %i, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %i, %i, %threads, %thread;
  setp.ge.u32 %outside, %i, %n;
  @%outside ret;
  cvta.to.global.u64 %at, %at;
  cvt.u64.u32 %offset, %i;
  add.u64 %at, %at, %offset;
  ld.global.u8 %value, [%at];
  add.u32 %value, %value, 1;
  st.global.u8 [%at], %value;
  ret;
}
)";

class functions : public on_gpu {
 protected:
  void SetUp() override {
    on_gpu::SetUp();
    if (!IsSkipped()) loaded_ = cuda::load_function(work_, add_one);
  }

  std::vector<std::byte> fetched(const std::byte* from, std::int64_t bytes) {
    std::vector<std::byte> result(static_cast<std::size_t>(bytes));
    loaded_->fetch(from, result);
    return result;
  }
  void start_add_one(std::byte* bytes, unsigned count) {
    loaded_->start("add_one", {{(count + 63) / 64, 1, 1}, {64, 1, 1}}, {&bytes, &count});
  }
  /// The pixels in order, and one more in each byte.
  void expect_dense(const const_image_view& view) {
    const auto dense = copy_of(view);
    const auto bytes = static_cast<std::int64_t>(dense.bytes());
    auto* const there = loaded_->memory(bytes);
    loaded_->bring(view, there);
    start_add_one(there, static_cast<unsigned>(bytes));
    loaded_->wait();
    const auto* const values = static_cast<const std::uint8_t*>(dense.data());
    std::vector<std::byte> expected;
    for (std::int64_t i = 0; i < bytes; ++i)
      expected.push_back(static_cast<std::byte>(static_cast<std::uint8_t>(values[i] + 1)));
    EXPECT_EQ(fetched(there, bytes), expected);
  }

  job work_{cuda_, {}};
  std::unique_ptr<cuda::loaded_function> loaded_;
};

TEST_F(functions, get_images_of_any_strides_without_gaps) {
  std::vector<std::uint8_t> bytes(3 * 40 * 50 * 4);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  std::vector<std::uint16_t> words(4 * 30 * 41);
  std::iota(words.begin(), words.end(), std::uint16_t{250});
  const auto* const first = bytes.data();
  expect_dense({first, {40, 50}});
  expect_dense({first, {40, 25}, {50, 2, 0}});             // every other column
  expect_dense({first, {50, 40}, {1, 50, 0}});             // columns first
  expect_dense({first + 39 * 50, {40, 50}, {-50, 1, 0}});  // upside down
  expect_dense({words.data(), {4, 30, 20}, {30 * 41, 41, 2}});
  expect_dense({first, dtype::u8, {40, 50}, {150, 3, 0}, 3, 1});    // channels of a pixel side by side
  expect_dense({first, dtype::u8, {40, 50}, {50, 1, 0}, 3, 2000});  // one after another
  expect_dense({first, dtype::u8, {2, 20, 50}, {1000, 50, 1}, 3, 2000});
  expect_dense({words.data(), dtype::u16, {30, 20}, {41, 2, 0}, 4, 30 * 41});
  EXPECT_GT(work_.report.transfer_seconds, 0);
}

TEST_F(functions, do_nothing_with_no_bytes) {
  auto* const nothing = loaded_->memory(0);
  EXPECT_EQ(nothing, nullptr);
  loaded_->bring({static_cast<const std::uint8_t*>(nullptr), {7, 0}}, nothing);
  loaded_->fill(nothing, 1, 0);
  EXPECT_TRUE(fetched(nothing, 0).empty());
  loaded_->wait();
}

TEST_F(functions, fill_fetch_and_run_in_one_order) {
  auto* const bytes = loaded_->memory(4);
  loaded_->fill(bytes, 7, 4);
  EXPECT_EQ(fetched(bytes, 4), std::vector(4, std::byte{7}));
  start_add_one(bytes, 2);
  EXPECT_EQ(fetched(bytes, 4), (std::vector{std::byte{8}, std::byte{8}, std::byte{7}, std::byte{7}}));
}

TEST_F(functions, tell_what_is_wrong_and_go_on) {
  const auto all = this_machine().gpus.at(0).memory;
  const auto memory = message_of<device_error>([&] { loaded_->memory(all); });
  EXPECT_NE(memory.find("MiB more are needed"), std::string::npos) << memory;
  const auto name = message_of<device_error>([&] { loaded_->start("none", {{1, 1, 1}, {1, 1, 1}}, {}); });
  EXPECT_NE(name.find("none"), std::string::npos) << name;
  const std::vector<std::uint8_t> pixels(20, 3);
  expect_dense({pixels.data(), {4, 5}});
}

}  // namespace
}  // namespace macareu::test

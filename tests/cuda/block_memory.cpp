// Device memory that labelling in blocks really holds, as the pool that all of it comes from has counted: no
// more than was allowed.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <macareu/operators.hpp>

#include "cuda/held_memory.hpp"
#include "cuda/on_gpu.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

class block_memory : public on_gpu {
 protected:
  /// Three in ten pixels, or a checkerboard: of its rims every other pixel is an object that moves.
  static image draw(const extents& shape, bool checkerboard) {
    image drawn(dtype::u8, shape);
    auto* const pixels = static_cast<std::uint8_t*>(drawn.data());
    const auto width = shape.width(), height = shape.height();
    dice from(seed_of("block_memory", shape.pixels()));
    for (std::int64_t i = 0; i < shape.pixels(); ++i)
      pixels[i] =
          checkerboard ? (i % width + i / width % height + i / width / height) % 2 == 0 : from.below(10) < 3;
    return drawn;
  }

  /// A block's own pixels and labels at least: else nothing was watched.
  static void expect_within(const held_memory& held, std::int64_t memory, const extents& shape) {
    EXPECT_GE(held.used, 5 * shape.height() * shape.width());
    EXPECT_LE(held.used, memory);
    ::testing::Test::RecordProperty("used_" + std::to_string(memory / mebibyte), std::to_string(held.used));
    ::testing::Test::RecordProperty("reserved_" + std::to_string(memory / mebibyte),
                                    std::to_string(held.reserved));
  }
};

/// A sixteenth of 1024^3, with a sixteenth of 4 GiB, and with so little that blocks are thinner than wanted:
/// with and without room to keep the bits of all blocks.
TEST_F(block_memory, is_within_what_was_allowed) {
  const extents shape{256, 512, 512};
  for (const bool checkerboard : {false, true}) {
    const auto drawn = draw(shape, checkerboard);
    const label_options given{.connectivity = checkerboard ? 6 : 26};
    const auto expected = label(drawn, given, {.device = "cuda:0"});
    for (const auto* device : {"cuda:0", "cuda:0,cuda:0"})
      for (const std::int64_t memory : {60 * mebibyte, 128 * mebibyte, 256 * mebibyte}) {
        SCOPED_TRACE(std::string(device) + ", " + std::to_string(memory / mebibyte) + " MiB" +
                     (checkerboard ? ", checkerboard" : ""));
        image found;
        const auto held =
            watched([&] { found = label(drawn, given, {.device = device, .gpu_memory = memory}); });
        expect_within(held, memory, shape);
        // What the pool's own pieces add is known where blocks are as thick as wanted.
        if (memory == 256 * mebibyte) {
          EXPECT_LE(held.reserved, memory);
        }
        EXPECT_TRUE(same_bits(found, expected));
      }
  }
}

TEST_F(block_memory, of_1024_cubed_is_within_4_gibibytes) {
  if (!std::getenv("MACAREU_LARGE")) GTEST_SKIP() << "large: needs MACAREU_LARGE=1";
  const extents shape{1024, 1024, 1024};
  const auto drawn = draw(shape, false);
  run_report whole, report;
  const auto expected = label(drawn, {}, {.device = "cuda:0", .report = &whole});
  image found;
  const std::int64_t memory = 4096 * mebibyte;
  const auto held = watched(
      [&] { found = label(drawn, {}, {.device = "cuda:0", .gpu_memory = memory, .report = &report}); });
  expect_within(held, memory, shape);
  EXPECT_LE(held.reserved, memory);
  EXPECT_EQ(report.count, whole.count);
  EXPECT_TRUE(same_bits(found, expected));
}

}  // namespace
}  // namespace macareu::test

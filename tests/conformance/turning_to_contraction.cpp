// Waves so long that `auto` turns from tiles to contraction on the way: the bits must be those of the serial
// engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/operators.hpp>

namespace macareu::test {
namespace {

struct maze {
  extents shape;
  std::vector<std::uint8_t> marker, mask;
};

/// One marker at the corridor's start, or one in each of its columns, the higher the later: each wave is
/// overtaken by all that start after it.
enum class markers { one, rising };

/// Closed boxes, each with a corridor that runs up and down its columns, walled off every third column.
maze boxes(std::int64_t rows, std::int64_t columns, std::int64_t box_height, std::int64_t box_width,
           markers from) {
  maze made{{rows * box_height, columns * box_width}, {}, {}};
  const auto width = made.shape.width();
  made.mask.assign(static_cast<std::size_t>(made.shape.pixels()), 200);
  made.marker.assign(made.mask.size(), 0);
  const auto at = [&](std::int64_t y, std::int64_t x) { return static_cast<std::size_t>(y * width + x); };
  for (std::int64_t y = 0; y < made.shape.height(); ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      const auto by = y % box_height, bx = x % box_width;
      const bool gap = bx / 3 % 2 == 0 ? by == box_height - 2 : by == 1;
      if (by == 0 || bx == 0 || by == box_height - 1 || bx == box_width - 1)
        made.mask[at(y, x)] = 1;
      else if (bx % 3 == 0 && !gap)
        made.mask[at(y, x)] = 5;
      if (by != 1 || bx % 3 != 1 || made.mask[at(y, x)] != 200) continue;
      if (from == markers::rising)
        made.marker[at(y, x)] = static_cast<std::uint8_t>(10 + 180 * bx / box_width);
      if (from == markers::one && bx == 1)
        made.marker[at(y, x)] = static_cast<std::uint8_t>(100 + (x + y) % 100);
    }
  return made;
}

void expect_serial_bits(const maze& m, bool turns) {
  const const_image_view marker(m.marker.data(), m.shape), mask(m.mask.data(), m.shape);
  for (const int near : {4, 8}) {
    const auto expected = reconstruct(marker, mask, {.connectivity = near}, {.device = "serial"});
    for (const int threads : {1, 2, 3}) {
      run_report report;
      // Memory that nothing has cleared: what no tile wrote would show.
      std::vector<std::uint8_t> out(m.mask.size(), 77);
      reconstruct(marker, mask, image_view(out.data(), m.shape), {.connectivity = near},
                  {.device = "cpu", .threads = threads, .report = &report});
      EXPECT_TRUE(std::ranges::equal(out, expected.pixels<std::uint8_t>()))
          << near << " neighbours, " << threads << " threads, " << report.strategy;
      EXPECT_EQ(report.strategy, turns ? "tiles, then contraction" : "tiles");
    }
    const auto present = devices();
    if (std::ranges::find(present, "cuda") == present.end()) continue;
    std::vector<std::uint8_t> out(m.mask.size(), 77);
    reconstruct(marker, mask, image_view(out.data(), m.shape), {.connectivity = near}, {.device = "cuda"});
    EXPECT_TRUE(std::ranges::equal(out, expected.pixels<std::uint8_t>())) << near << " neighbours, cuda";
  }
}

TEST(turning_to_contraction, while_tiles_wait_for_their_first_visit) {
  expect_serial_bits(boxes(4, 4, 128, 256, markers::rising), true);
}

TEST(turning_to_contraction, in_the_middle_of_a_corridor) {
  expect_serial_bits(boxes(1, 1, 700, 900, markers::rising), true);
}

TEST(turning_to_contraction, not_needed_for_one_wave_however_long) {
  expect_serial_bits(boxes(4, 4, 128, 256, markers::one), false);
  expect_serial_bits(boxes(1, 1, 700, 900, markers::one), false);
}

TEST(turning_to_contraction, never_on_an_easy_image) {
  maze easy{{600, 700}, {}, {}};
  for (std::int64_t i = 0; i < easy.shape.pixels(); ++i) {
    easy.mask.push_back(static_cast<std::uint8_t>(i * 2654435761u >> 13));
    easy.marker.push_back(static_cast<std::uint8_t>(easy.mask.back() / 2));
  }
  const const_image_view marker(easy.marker.data(), easy.shape), mask(easy.mask.data(), easy.shape);
  run_report report;
  reconstruct(marker, mask, {}, {.report = &report});
  EXPECT_EQ(report.strategy, "tiles");
  expect_serial_bits(easy, false);
}

TEST(turning_to_contraction, a_failure_on_one_thread_reaches_the_caller) {
  const auto made = boxes(4, 4, 128, 256, markers::one);
  const const_image_view marker(made.marker.data(), made.shape), mask(made.mask.data(), made.shape);
  context how{.device = "cpu", .threads = 2};
  how.progress = [](double) { throw std::runtime_error("the caller's own"); };
  EXPECT_THROW(reconstruct(marker, mask, {}, how), std::runtime_error);
}

}  // namespace
}  // namespace macareu::test

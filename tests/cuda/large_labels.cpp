// Labels of an image with more than 2^31 pixels and more than 2^24 objects, compared with a formula. Needs
// 20 GiB of host memory and half a minute; runs with MACAREU_LARGE=1.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t side = 65536, apart = 8, first = 6, across = side / apart;

/// Squares of 3 x 3 pixels, some of which lie across words, tiles and pieces.
constexpr std::int64_t square_at(std::int64_t x) {
  const auto from_first = x - first;
  return from_first >= 0 && from_first % apart < 3 ? from_first / apart : -1;
}
constexpr std::uint32_t number_at(std::int64_t y, std::int64_t x) {
  const auto down = square_at(y), along = square_at(x);
  return down < 0 || along < 0 ? 0 : static_cast<std::uint32_t>(down * across + along + 1);
}

/// visit(row) on all processors.
template <class Visit>
void over_rows(const Visit& visit) {
  std::atomic<std::int64_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (auto y = next.fetch_add(1); y < side; y = next.fetch_add(1)) visit(y);
    });
}

class large_labels : public on_gpu {
 protected:
  void SetUp() override {
    on_gpu::SetUp();
    if (!std::getenv("MACAREU_LARGE")) GTEST_SKIP() << "large: needs MACAREU_LARGE=1";
  }

  static image squares() {
    image drawn(dtype::u8, {side, side});
    over_rows([&](std::int64_t y) {
      auto* const row = static_cast<std::uint8_t*>(drawn.data()) + y * side;
      for (std::int64_t x = 0; x < side; ++x) row[x] = number_at(y, x) != 0;
    });
    return drawn;
  }

  static void expect_numbers(const image& labels, const run_report& report) {
    ASSERT_EQ(labels.type(), dtype::u32);
    EXPECT_EQ(report.count, across * across);
    std::atomic<std::int64_t> wrong{0};
    over_rows([&](std::int64_t y) {
      const auto* const row = static_cast<const std::uint32_t*>(labels.data()) + y * side;
      std::int64_t differ = 0;
      for (std::int64_t x = 0; x < side; ++x) differ += row[x] != number_at(y, x);
      wrong += differ;
    });
    EXPECT_EQ(wrong, 0);
  }
};

TEST_F(large_labels, as_a_whole_and_in_pieces) {
  const auto drawn = squares();
  for (const std::int64_t gib : {0, 8}) {
    SCOPED_TRACE(gib);
    run_report report;
    const auto labels = label(drawn, {}, {.device = "cuda", .gpu_memory = gib << 30, .report = &report});
    expect_numbers(labels, report);
  }
}

}  // namespace
}  // namespace macareu::test

#include "instances/opening.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "instances/rows.hpp"

namespace macareu::formula {
namespace {

constexpr auto smaller = [](std::uint8_t a, std::uint8_t b) { return std::min(a, b); };
constexpr auto larger = [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); };

/// reach[dy]: how far the disk extends to each side, dy rows from its centre.
std::vector<int> disk_of(int radius) {
  std::vector<int> reach(radius + 1, radius);
  for (int dy = 0; dy <= radius; ++dy)
    while (reach[dy] * reach[dy] + dy * dy > radius * radius) --reach[dy];
  return reach;
}

/// to(y, x) = the best of `from` over the disk around (y, x). `from_row` and `to_row` give the first pixel of
/// a row of their box. A source row is widened step by step. Each width is combined into the rows of `to`
/// where the disk is that wide. All loops run over contiguous rows.
template <class FromRow, class ToRow, class Best>
void over_disk(const box& from, const FromRow& from_row, const box& to, const ToRow& to_row,
               const std::vector<int>& reach, std::uint8_t neutral, Best best, std::uint8_t* wide,
               std::uint8_t* wider) {
  const auto width = from.right - from.left, to_width = to.right - to.left;
  const auto radius = static_cast<std::int64_t>(reach.size()) - 1;
  for (auto y = to.top; y < to.bottom; ++y) std::fill_n(to_row(y), to_width, neutral);
  for (auto y = from.top; y < from.bottom; ++y) {
    std::copy_n(from_row(y), width, wide);
    for (std::int64_t half = 0; half <= radius; ++half) {
      const auto* source = wide + (to.left - from.left);
      for (auto dy = -radius; dy <= radius; ++dy) {
        if (reach[std::abs(dy)] != half || y + dy < to.top || y + dy >= to.bottom) continue;
        auto* target = to_row(y + dy);
        for (std::int64_t x = 0; x < to_width; ++x) target[x] = best(target[x], source[x]);
      }
      if (width < 2) continue;
      wider[0] = best(wide[0], wide[1]);
      for (std::int64_t x = 1; x + 1 < width; ++x) wider[x] = best(wide[x], best(wide[x - 1], wide[x + 1]));
      wider[width - 1] = best(wide[width - 1], wide[width - 2]);
      std::swap(wide, wider);
    }
  }
}

// A tile with its rim is 151 KiB, so that it fits a second-level cache.
constexpr std::int64_t tile_rows = 128, tile_columns = 1024;

/// Per thread: the eroded tile with its rim, and two rows of the mask.
std::int64_t scratch_bytes(int radius) {
  return (tile_rows + 2 * radius) * (tile_columns + 2 * radius) +
         2 * (tile_columns + 2 * opening_halo(radius));
}

}  // namespace

std::int64_t opening_memory(int radius) { return scratch_bytes(radius) * omp_get_max_threads(); }

void open_by_disk(const haloed_rows& mask, std::int64_t image_height, int radius, std::uint8_t* opened,
                  const generate_options& options) {
  const auto reach = disk_of(radius);
  std::vector<std::uint8_t> scratch(opening_memory(radius));
  const box all{mask.first, mask.last, 0, mask.width};
  for_tiles(all, tile_rows, tile_columns, options, [&](const box& tile) {
    const auto inner = tile.grown(radius, image_height, mask.width);
    const auto outer = tile.grown(opening_halo(radius), image_height, mask.width);
    auto* wide = scratch.data() + scratch_bytes(radius) * omp_get_thread_num();
    auto* wider = wide + (outer.right - outer.left);
    auto* eroded = wider + (outer.right - outer.left);
    const auto mask_row = [&](std::int64_t y) { return mask.row(y) + outer.left; };
    const auto eroded_row = [&](std::int64_t y) {
      return eroded + (y - inner.top) * (inner.right - inner.left);
    };
    const auto opened_row = [&](std::int64_t y) {
      return opened + (y - mask.first) * mask.width + tile.left;
    };
    over_disk(outer, mask_row, inner, eroded_row, reach, 255, smaller, wide, wider);
    over_disk(inner, eroded_row, tile, opened_row, reach, 0, larger, wide, wider);
  });
}

}  // namespace macareu::formula

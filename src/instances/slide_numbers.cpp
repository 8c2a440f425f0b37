// The truth's numbers: a nucleus' first visible pixel depends on its neighbours alone, so numbers need no
// image.
#include <algorithm>
#include <cstdlib>

#include <omp.h>

#include "instances/slide.hpp"

namespace macareu::formula::stained {
namespace {

constexpr std::int64_t block_side = 512;
constexpr auto reach = slide_cells::reach;

struct placed {
  std::int64_t first;
  std::uint64_t slot;
};

struct numbering_desk {
  slide_cells::workspace space;
  std::vector<placed> seen;
};

/// The index in the image of the first pixel of nucleus i that no later one hides, or -1.
std::int64_t first_pixel(const std::vector<nucleus>& all, std::size_t i, const extents& shape) {
  const blob_levels level(all[i].outline);
  const auto y0 = all[i].outline.y / 16, x0 = all[i].outline.x / 16;
  const auto hidden = [&](std::int64_t y, std::int64_t x) {
    for (auto later = i + 1; later < all.size(); ++later) {
      const auto& other = all[later].outline;
      if (std::abs(other.y / 16 - y) <= reach && std::abs(other.x / 16 - x) <= reach &&
          blob_levels(other)(y, x) < one)
        return true;
    }
    return false;
  };
  for (auto y = std::max(y0 - reach, origin); y < std::min(y0 + reach + 1, origin + shape.height()); ++y)
    for (auto x = std::max(x0 - reach, origin); x < std::min(x0 + reach + 1, origin + shape.width()); ++x)
      if (level(y, x) < one && !hidden(y, x)) return (y - origin) * shape.width() + x - origin;
  return -1;
}

/// Adds the nuclei whose centres lie in a block.
void add_block(const slide_cells& cells, const box& block, const extents& shape, numbering_desk& used) {
  auto& [space, seen] = used;
  cells.find({block.top - reach, block.bottom + reach, block.left - reach, block.right + reach}, space);
  for (std::size_t i = 0; i < space.found.size(); ++i) {
    const auto y = space.found[i].outline.y / 16, x = space.found[i].outline.x / 16;
    if (y < block.top || y >= block.bottom || x < block.left || x >= block.right) continue;
    const auto first = first_pixel(space.found, i, shape);
    if (first >= 0) seen.push_back({first, space.found[i].slot});
  }
}

}  // namespace

std::vector<std::uint32_t> number_nuclei(const slide_cells& cells, const extents& shape,
                                         const generate_options& options) {
  std::vector<std::uint32_t> numbers(cells.slots());
  std::vector<numbering_desk> desks(static_cast<std::size_t>(omp_get_max_threads()));
  std::vector<placed> waiting;
  std::uint32_t number = 0;
  const auto bottom = origin + shape.height() + reach;
  for (auto top = origin - reach; top < bottom; top += block_side) {
    const box strip{top, std::min(top + block_side, bottom), origin - reach, origin + shape.width() + reach};
    for_tiles(strip, block_side, block_side, options, [&](const box& block) {
      add_block(cells, block, shape, desks[static_cast<std::size_t>(omp_get_thread_num())]);
    });
    for (auto& used : desks) {
      waiting.insert(waiting.end(), used.seen.begin(), used.seen.end());
      used.seen.clear();
    }
    std::ranges::sort(waiting, {}, &placed::first);
    // Nuclei of the next strips start at most `reach` above it.
    const auto complete =
        strip.bottom == bottom ? shape.pixels() : (strip.bottom - reach - origin) * shape.width();
    const auto end = std::ranges::lower_bound(waiting, complete, {}, &placed::first);
    for (auto each = waiting.begin(); each != end; ++each) numbers[each->slot] = ++number;
    waiting.erase(waiting.begin(), end);
  }
  return numbers;
}

}  // namespace macareu::formula::stained

#include "instances/opening.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/ceil_div.hpp"
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

/// Rows [first, last) of an image.
template <class Pixel>
struct strip {
  Pixel* data;
  std::int64_t first, last, width;
  Pixel* row(std::int64_t y) const { return data + (y - first) * width; }
};

/// to(y, x) = the best of `from` over the disk around (y, x). A source row is widened step by step. Each
/// width is combined into the rows of `to` where the disk is that wide. All loops run over contiguous rows.
template <class Source, class Best>
void over_disk(strip<Source> from, strip<std::uint8_t> to, const std::vector<int>& reach,
               std::uint8_t neutral, Best best, std::uint8_t* wide, std::uint8_t* wider) {
  const auto width = from.width;
  const auto radius = static_cast<std::int64_t>(reach.size()) - 1;
  std::fill(to.row(to.first), to.row(to.last), neutral);
  for (auto y = from.first; y < from.last; ++y) {
    std::copy_n(from.row(y), width, wide);
    for (std::int64_t half = 0; half <= radius; ++half) {
      for (auto dy = -radius; dy <= radius; ++dy) {
        if (reach[std::abs(dy)] != half || y + dy < to.first || y + dy >= to.last) continue;
        auto* target = to.row(y + dy);
        for (std::int64_t x = 0; x < width; ++x) target[x] = best(target[x], wide[x]);
      }
      if (width < 2) continue;
      wider[0] = best(wide[0], wide[1]);
      for (std::int64_t x = 1; x + 1 < width; ++x) wider[x] = best(wide[x], best(wide[x - 1], wide[x + 1]));
      wider[width - 1] = best(wide[width - 1], wide[width - 2]);
      std::swap(wide, wider);
    }
  }
}

}  // namespace

image open_by_disk(const image& mask, int radius, const generate_options& options) {
  constexpr std::int64_t strip_rows = 128;
  const auto& shape = mask.shape();
  const auto height = shape.height(), width = shape.width();
  const auto reach = disk_of(radius);
  image out(dtype::u8, shape);
  const auto* source = mask.pixels<std::uint8_t>().data();
  auto* result = out.pixels<std::uint8_t>().data();
  const auto per_thread = (strip_rows + 2 * radius + 2) * width;
  std::vector<std::uint8_t> scratch(per_thread * omp_get_max_threads());
  for_units(ceil_div(height, strip_rows), 1, options, [&](std::int64_t unit) {
    const auto y = unit * strip_rows;
    auto* own = scratch.data() + per_thread * omp_get_thread_num();
    const auto end = std::min(y + strip_rows, height);
    const auto clip = [&](std::int64_t row) { return std::clamp<std::int64_t>(row, 0, height); };
    const strip<const std::uint8_t> outer{source + clip(y - 2 * radius) * width, clip(y - 2 * radius),
                                          clip(end + 2 * radius), width};
    const strip<std::uint8_t> eroded{own + 2 * width, clip(y - radius), clip(end + radius), width};
    const strip<std::uint8_t> opened{result + y * width, y, end, width};
    over_disk(outer, eroded, reach, 255, smaller, own, own + width);
    over_disk(eroded, opened, reach, 0, larger, own, own + width);
  });
  return out;
}

}  // namespace macareu::formula

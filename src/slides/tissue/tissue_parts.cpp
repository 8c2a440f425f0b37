#include "slides/tissue/tissue_parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <macareu/operators.hpp>

#include "core/ceil_div.hpp"

namespace macareu::slides {
namespace {

struct rectangle {
  std::int64_t top, left, bottom, right;

  void add(const rectangle& other) {
    top = std::min(top, other.top);
    left = std::min(left, other.left);
    bottom = std::max(bottom, other.bottom);
    right = std::max(right, other.right);
  }
  bool overlaps(const rectangle& other) const {
    return top < other.bottom && other.top < bottom && left < other.right && other.left < right;
  }
};

/// Joins one pair that overlaps.
bool join_one(std::vector<rectangle>& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j)
      if (all[i].overlaps(all[j])) {
        all[i].add(all[j]);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
        return true;
      }
  return false;
}

}  // namespace

std::vector<image_region> tissue_parts(const extents& slide, const tissue_mask* tissue, std::int64_t halo,
                                       std::int64_t unit) {
  if (!tissue) return {whole_of(slide)};
  const auto found = measure(label(tissue->mask));
  std::vector<rectangle> all;
  for (std::size_t row = 0; row < found.rows(); ++row) {
    const auto bound = [&](const char* column) {
      return static_cast<std::int64_t>(found[column][row].to_double());
    };
    const rectangle cells{bound("bbox-0"), bound("bbox-1"), bound("bbox-2"), bound("bbox-3")};
    const auto low = [&](std::int64_t cell) {
      return std::max<std::int64_t>(0, cell * tissue->factor - halo) / unit * unit;
    };
    const auto high = [&](std::int64_t cell, std::int64_t side) {
      return std::min(side, ceil_div(cell * tissue->factor + halo, unit) * unit);
    };
    const rectangle grown{low(cells.top), low(cells.left), high(cells.bottom, slide.height()),
                          high(cells.right, slide.width())};
    if (grown.top < grown.bottom && grown.left < grown.right) all.push_back(grown);
  }
  while (join_one(all)) {
  }
  std::ranges::sort(all, {}, &rectangle::left);
  std::vector<image_region> parts;
  for (const auto& one : all)
    parts.push_back({{0, one.top, one.left}, {1, one.bottom - one.top, one.right - one.left}});
  return parts;
}

}  // namespace macareu::slides

#include "slides/outputs/outline_counts.hpp"

#include <algorithm>

#include <macareu/error.hpp>

namespace macareu::slides {

std::vector<std::uint32_t> count_outlines(label_store& labels, const overview& on,
                                          const std::stop_token& stop) {
  const auto& shape = labels.form().shape;
  const auto columns = on.colour.shape().width();
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(on.colour.shape().pixels()));
  constexpr auto side = label_store::side;
  std::vector<std::uint32_t> tile;
  for (std::int64_t y = 0; y < shape.height(); y += side)
    for (std::int64_t x = 0; x < shape.width(); x += side) {
      if (stop.stop_requested()) throw interrupted();
      if (!labels.has_labels(y, x)) continue;
      // With the pixels around it, where there are any.
      const auto top = std::max<std::int64_t>(y - 1, 0), left = std::max<std::int64_t>(x - 1, 0);
      const auto bottom = std::min(y + side + 1, shape.height()),
                 right = std::min(x + side + 1, shape.width());
      const auto width = right - left;
      tile.resize(static_cast<std::size_t>((bottom - top) * width));
      labels.read({{0, top, left}, {1, bottom - top, width}}, tile.data());
      for (auto row = y; row < std::min(y + side, shape.height()); ++row)
        for (auto column = x; column < std::min(x + side, shape.width()); ++column) {
          const auto* own = tile.data() + (row - top) * width + column - left;
          if (*own == 0) continue;
          const bool outline = (row > top && own[-width] != *own) ||
                               (row + 1 < bottom && own[width] != *own) ||
                               (column > left && own[-1] != *own) || (column + 1 < right && own[1] != *own);
          if (outline) ++counts[static_cast<std::size_t>(row / on.factor * columns + column / on.factor)];
        }
    }
  return counts;
}

}  // namespace macareu::slides

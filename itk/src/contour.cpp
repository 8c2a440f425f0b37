#include <vector>

#include "macareu/itk/distance.hpp"

namespace macareu::itk {

image away_from_contour(::itk::ProcessObject& filter, const image& objects) {
  const auto& shape = objects.shape();
  const auto depth = shape.depth(), height = shape.height(), width = shape.width();
  image away(dtype::u8, shape);
  const bool* from = objects.pixels<bool>().data();
  auto* to = away.pixels<std::uint8_t>().data();
  in_parallel(filter, depth * height, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint8_t> inside(static_cast<std::size_t>(width));
    for (auto row = first; row < last; ++row) {
      const auto z = row / height, y = row % height;
      inside.assign(inside.size(), 1);
      for (auto other_z = std::max<std::int64_t>(z - 1, 0); other_z <= std::min(z + 1, depth - 1); ++other_z)
        for (auto other_y = std::max<std::int64_t>(y - 1, 0); other_y <= std::min(y + 1, height - 1);
             ++other_y) {
          const bool* other = from + (other_z * height + other_y) * width;
          for (std::int64_t x = 0; x < width; ++x)
            inside[static_cast<std::size_t>(x)] &= static_cast<std::uint8_t>(other[x]);
        }
      const auto at = [&](std::int64_t x) { return inside[static_cast<std::size_t>(x)]; };
      const bool* set = from + row * width;
      auto* out = to + row * width;
      for (std::int64_t x = 0; x < width; ++x) {
        const int around = at(std::max<std::int64_t>(x - 1, 0)) & at(x) & at(std::min(x + 1, width - 1));
        out[x] = static_cast<std::uint8_t>(around | (set[x] ? 0 : 1));
      }
    }
  });
  return away;
}

}  // namespace macareu::itk

#include <vector>

#include "macareu/itk/distance.hpp"

namespace macareu::itk {
namespace {

/// Rows are combined first, so a pixel is read once for each of the rows around it.
void by_rows(::itk::ProcessObject& filter, const const_image_view& objects, const image_view& away) {
  const auto& shape = objects.shape();
  const auto depth = shape.depth(), height = shape.height(), width = shape.width();
  const auto* from = static_cast<const bool*>(objects.data());
  auto* to = static_cast<bool*>(away.data());
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
        out[x] = around != 0 || !set[x];
      }
    }
  });
}

}  // namespace

temporary away_from_contour(const workplace& at, const temporary& objects) {
  auto away = at.room_for(dtype::boolean, objects.shape());
  if (!at.on_gpu()) {
    by_rows(at.filter(), objects, away);
    return away;
  }
  // Pixels one step from the outside.
  const arguments steps{{"metric", "chessboard"}, {"type", "f32"}};
  auto depth = at.room_for(dtype::f32, objects.shape());
  at.run("distance_transform", {objects}, depth, steps, {0, 0});
  at.apply(pixelwise::mark_others{1}, {depth}, away);
  return away;
}

}  // namespace macareu::itk

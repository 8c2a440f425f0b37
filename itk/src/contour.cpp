#include <algorithm>
#include <cstdint>
#include <vector>

#include "macareu/itk/distance.hpp"

namespace macareu::itk {
namespace {

// Separate functions, so that `width` is a local copy: stores to bytes could alias it otherwise.
void keep_common(const std::uint8_t* other, std::int64_t width, std::uint8_t* common) {
  for (std::int64_t x = 0; x < width; ++x) common[x] &= other[x];
}
/// `around` begins one pixel before the row.
void leave_out_contour(const std::uint8_t* around, const std::uint8_t* set, std::int64_t width,
                       std::uint8_t* out) {
  for (std::int64_t x = 0; x < width; ++x)
    out[x] = (around[x] & around[x + 1] & around[x + 2]) | (set[x] ^ 1);
}

/// Combines rows first, so a pixel is read once for each neighbouring row.
void by_rows(::itk::ProcessObject& filter, const const_image_view& objects, const image_view& away) {
  const auto& shape = objects.shape();
  const auto depth = shape.depth(), height = shape.height(), width = shape.width();
  const auto* from = static_cast<const std::uint8_t*>(objects.data());
  auto* to = static_cast<std::uint8_t*>(away.data());
  in_parallel(filter, depth * height, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint8_t> inside(static_cast<std::size_t>(width + 2));  // outside pixels do not count
    for (auto row = first; row < last; ++row) {
      const auto z = row / height, y = row % height;
      inside.assign(inside.size(), 1);
      for (auto other_z = std::max<std::int64_t>(z - 1, 0); other_z <= std::min(z + 1, depth - 1); ++other_z)
        for (auto other_y = std::max<std::int64_t>(y - 1, 0); other_y <= std::min(y + 1, height - 1);
             ++other_y)
          keep_common(from + (other_z * height + other_y) * width, width, inside.data() + 1);
      leave_out_contour(inside.data(), from + row * width, width, to + row * width);
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
  // The contour consists of the pixels one step from the outside.
  const arguments steps{{"metric", "chessboard"}, {"type", "f32"}};
  auto depth = at.room_for(dtype::f32, objects.shape());
  at.run("distance_transform", {objects}, depth, steps, {0, 0});
  at.apply(pixelwise::mark_others{1}, {depth}, away);
  return away;
}

}  // namespace macareu::itk

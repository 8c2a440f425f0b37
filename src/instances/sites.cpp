// Instances for distances: sites (background) are 0, all other pixels 255.
#include <algorithm>

#include "core/ceil_div.hpp"
#include "instances/families.hpp"
#include "instances/hash.hpp"
#include "instances/rows.hpp"

namespace macareu::formula {
namespace {

template <class IsSite>
drawing with_sites(const extents& shape, const generate_options& options, const IsSite& is_site) {
  return mask_only(options, [=](auto, auto y, auto* mask) {
    for (std::int64_t x = 0; x < shape.width(); ++x) mask[x] = is_site(y, x) ? 0 : 255;
  });
}

drawing scattered(const extents& shape, const generate_options& options, std::uint64_t per_cent) {
  const auto share = (per_cent << 32) / 100;
  return mask_only(options, [=](auto z, auto y, auto* mask) {
    const row_bits bits(options.seed, stream::sites, z, y);
    for (std::int64_t x = 0; x < shape.width(); ++x) mask[x] = bits[x] >> 32 < share ? 0 : 255;
  });
}

/// A circle one pixel wide: r - 1/2 < distance < r + 1/2, squared.
constexpr bool on_circle(std::int64_t dy, std::int64_t dx, std::int64_t radius) {
  radius = std::max<std::int64_t>(radius, 1);
  const auto off = dy * dy + dx * dx - radius * radius;
  return -radius < off && off <= radius;
}

/// Row y of the line from the first corner to the last: the pixels (y, x) with y = floor(x H / W) or
/// x = floor(y W / H), which is y = x in a square. `draw` takes such an x.
template <class Draw>
void for_diagonal(const extents& shape, std::int64_t y, const Draw& draw) {
  const auto height = shape.height(), width = shape.width();
  const auto first = y * width / height, end = ceil_div((y + 1) * width, height);
  for (auto x = first; x < std::max(end, first + 1); ++x) draw(x);
}

}  // namespace

drawing sites_1(const extents& shape, const generate_options& options) {
  return scattered(shape, options, 1);
}

drawing sites_10(const extents& shape, const generate_options& options) {
  return scattered(shape, options, 10);
}

drawing circles16(const extents& shape, const generate_options& options) {
  const auto height = shape.height(), width = shape.width(), radius = std::min(height, width) / 32;
  // Offset from the nearest of four centres along an axis, at odd eighths of the side.
  const auto from_centre = [](std::int64_t at, std::int64_t side) {
    return at - ((2 * (at * 4 / side) + 1) * side - 1) / 8;
  };
  return with_sites(shape, options, [=](auto y, auto x) {
    return on_circle(from_centre(y, height), from_centre(x, width), radius);
  });
}

drawing big_circle(const extents& shape, const generate_options& options) {
  const auto bottom = shape.height() - 1, middle = (shape.width() - 1) / 2, radius = shape.width() / 2;
  return with_sites(shape, options,
                    [=](auto y, auto x) { return on_circle(y - bottom, x - middle, radius); });
}

drawing central_circle(const extents& shape, const generate_options& options) {
  const auto y0 = (shape.height() - 1) / 2, x0 = (shape.width() - 1) / 2;
  const auto radius = std::min(shape.height(), shape.width()) / 4;
  return with_sites(shape, options, [=](auto y, auto x) { return on_circle(y - y0, x - x0, radius); });
}

drawing corner_squares(const extents& shape, const generate_options& options) {
  const auto inset = std::min(shape.height(), shape.width()) / 8;
  const auto side = std::max<std::int64_t>(inset / 32, 1);
  const auto near_corner = [=](std::int64_t at, std::int64_t size) {
    const auto e = std::min(at, size - 1 - at);
    return inset - side <= e && e < std::max<std::int64_t>(inset, 1);
  };
  return with_sites(shape, options, [=](auto y, auto x) {
    return near_corner(y, shape.height()) && near_corner(x, shape.width());
  });
}

drawing diagonal(const extents& shape, const generate_options& options) {
  return mask_only(options, [=](auto, auto y, auto* mask) {
    std::fill_n(mask, shape.width(), std::uint8_t{255});
    for_diagonal(shape, y, [&](auto x) { mask[x] = 0; });
  });
}

drawing cross(const extents& shape, const generate_options& options) {
  return mask_only(options, [=](auto, auto y, auto* mask) {
    std::fill_n(mask, shape.width(), std::uint8_t{255});
    for_diagonal(shape, y, [&](auto x) { mask[x] = mask[shape.width() - 1 - x] = 0; });
  });
}

}  // namespace macareu::formula

#include "slides/tissue/regions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <macareu/catalogue.hpp>

#include "core/ceil_div.hpp"

namespace macareu::slides {
namespace {

/// Calls visit(x) where edges of the rings cross the line at y.
template <class Visit>
void over_crossings(const region& of, double y, Visit visit) {
  for (const auto& ring : of.rings)
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const auto &a = ring[i], &b = ring[i + 1 < ring.size() ? i + 1 : 0];
      if ((a.y > y) != (b.y > y)) visit(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
    }
}

}  // namespace

bool region::contains(const point& at) const {
  bool inside = false;
  over_crossings(*this, at.y, [&](double x) { inside = inside != (x > at.x); });
  return inside;
}

double region::area() const {
  // The largest ring has the area of the outside; rings inside it have the other sign whatever their order.
  double sum = 0;
  for (const auto& ring : rings) {
    double doubled = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const auto &a = ring[i], &b = ring[i + 1 < ring.size() ? i + 1 : 0];
      doubled += a.x * b.y - b.x * a.y;
    }
    region others{.name = {}, .rings = {}};
    for (const auto& other : rings)
      if (&other != &ring) others.rings.push_back(other);
    sum += others.contains(ring[0]) ? -std::abs(doubled) : std::abs(doubled);
  }
  return sum / 2;
}

image_region box_of(const std::vector<region>& regions, const extents& slide) {
  constexpr auto far = std::numeric_limits<double>::infinity();
  double left = far, top = far, right = -far, bottom = -far;
  for (const auto& each : regions)
    for (const auto& ring : each.rings)
      for (const auto& at : ring) {
        left = std::min(left, at.x);
        right = std::max(right, at.x);
        top = std::min(top, at.y);
        bottom = std::max(bottom, at.y);
      }
  const auto within = [](double at, std::int64_t size) {
    return static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(size)));
  };
  const auto x = within(std::floor(left), slide.width()), y = within(std::floor(top), slide.height());
  return {{0, y, x},
          {1, std::max<std::int64_t>(within(std::ceil(bottom), slide.height()) - y, 0),
           std::max<std::int64_t>(within(std::ceil(right), slide.width()) - x, 0)}};
}

tissue_mask inside_regions(const tissue_mask& tissue, std::int64_t factor, const image_region& part,
                           const image_region& box, const std::vector<region>& regions, double reach) {
  const extents shape{ceil_div(part.size[1], factor), ceil_div(part.size[2], factor)};
  tissue_mask result{image(dtype::boolean, shape), factor};
  auto to = result.mask.pixels<bool>();
  std::ranges::fill(to, false);
  /// The first cell whose centre is not before a place on level 0.
  const auto cell_at = [&](double place, std::size_t axis) {
    const auto cell =
        std::ceil((place - static_cast<double>(part.first[axis])) / static_cast<double>(factor) - 0.5);
    const auto cells = static_cast<double>(axis == 1 ? shape.height() : shape.width());
    return static_cast<std::int64_t>(std::clamp(cell, 0.0, cells));
  };
  const auto limit = [&](std::size_t axis, bool end) {
    return cell_at(static_cast<double>(box.first[axis] + (end ? box.size[axis] : 0)), axis);
  };
  const auto set = [&](std::int64_t y, std::int64_t first, std::int64_t last) {
    for (auto x = std::max(first, limit(2, false)); x < std::min(last, limit(2, true)); ++x)
      to[static_cast<std::size_t>(y * shape.width() + x)] = true;
  };
  std::vector<double> crossings;
  for (auto y = limit(1, false); y < limit(1, true); ++y) {
    if (regions.empty()) set(y, 0, shape.width());
    for (const auto& each : regions) {
      crossings.clear();
      over_crossings(
          each,
          static_cast<double>(part.first[1]) + (static_cast<double>(y) + 0.5) * static_cast<double>(factor),
          [&](double x) { crossings.push_back(x); });
      std::ranges::sort(crossings);
      for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
        set(y, cell_at(crossings[i], 2), cell_at(crossings[i + 1], 2));
    }
  }
  if (reach > 0) {
    result.mask =
        std::move(run_operator(*find_operator("dilation"), std::array<const_image_view, 1>{result.mask},
                               {{"radius", number(reach)}}, {.device = "cpu"})[0]);
    to = result.mask.pixels<bool>();
  }
  const auto from = tissue.mask.pixels<bool>();
  const auto tissue_cell = [&](std::int64_t cell, std::size_t axis) {
    const auto place = part.first[axis] + cell * factor + factor / 2,
               all = tissue.mask.shape()[static_cast<int>(axis) - 1];
    return std::min(place / tissue.factor, all - 1);
  };
  for (std::int64_t y = 0, i = 0; y < shape.height(); ++y)
    for (std::int64_t x = 0; x < shape.width(); ++x, ++i) {
      auto& cell = to[static_cast<std::size_t>(i)];
      cell =
          cell &&
          from[static_cast<std::size_t>(tissue_cell(y, 1) * tissue.mask.shape().width() + tissue_cell(x, 2))];
    }
  return result;
}

}  // namespace macareu::slides

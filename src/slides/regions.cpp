#include "slides/regions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
                           const std::vector<region>& regions) {
  const auto cells = [&](std::int64_t size) { return (size + factor - 1) / factor; };
  const extents shape{cells(part.size[1]), cells(part.size[2])};
  tissue_mask result{image(dtype::boolean, shape), factor};
  const auto to = result.mask.pixels<bool>();
  const auto from = tissue.mask.pixels<bool>();
  std::ranges::fill(to, false);
  std::vector<double> crossings;
  for (std::int64_t y = 0; y < shape.height(); ++y) {
    const auto row_y =
        static_cast<double>(part.first[1]) + (static_cast<double>(y) + 0.5) * static_cast<double>(factor);
    const auto* tissue_row = from.data() + y * factor / tissue.factor * tissue.mask.shape().width();
    for (const auto& each : regions) {
      crossings.clear();
      over_crossings(each, row_y, [&](double x) { crossings.push_back(x); });
      std::ranges::sort(crossings);
      const auto column = [&](double x) {
        const auto cell =
            std::ceil((x - static_cast<double>(part.first[2])) / static_cast<double>(factor) - 0.5);
        return static_cast<std::int64_t>(std::clamp(cell, 0.0, static_cast<double>(shape.width())));
      };
      for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
        for (auto x = column(crossings[i]); x < column(crossings[i + 1]); ++x)
          to[static_cast<std::size_t>(y * shape.width() + x)] = tissue_row[x * factor / tissue.factor];
    }
  }
  return result;
}

}  // namespace macareu::slides

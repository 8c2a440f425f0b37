// Regions of interest: polygons with names, in pixels of level 0.
#pragma once

#include <string>
#include <vector>

#include <macareu/nuclei.hpp>

namespace macareu::slides {

struct point {
  double x = 0, y = 0;
};
using point_ring = std::vector<point>;

/// All rings of its polygons. A place is inside if it is inside an odd number of them.
struct region {
  std::string name;
  std::vector<point_ring> rings;

  bool contains(const point& at) const;
  double area() const;
};

/// The box of all pixels that the regions touch, inside the slide; empty if there are none.
image_region box_of(const std::vector<region>& regions, const extents& slide);

/// The slide's tissue in cells of another factor, which cover `part` of level 0: those with their centre in
/// the box and in a region, if there are any, and those up to `reach` cells away.
tissue_mask inside_regions(const tissue_mask& tissue, std::int64_t factor, const image_region& part,
                           const image_region& box, const std::vector<region>& regions, double reach);

}  // namespace macareu::slides

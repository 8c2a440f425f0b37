// Tissue on a slide: without glass, pen marks and dust, with pale tissue.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <macareu/nuclei.hpp>
#include <macareu/shapes.hpp>

#include "slides/tissue/overview.hpp"

namespace macareu::slides {

/// Why an image is no stained bright-field slide; nothing if it may be one.
std::optional<std::string> why_no_slide(const overview& slide);

/// Tissue on an overview of about 8 um a pixel. A tile without glass is all tissue.
tissue_mask find_tissue(const overview& slide, double mpp);

/// Outlines of the parts of a mask, in pixels of the analysed part, which has this shape.
std::vector<shape> tissue_outlines(const tissue_mask& tissue, const extents& part);

/// The area that outlines enclose, in pixels.
double area_of(const shape& outline);

}  // namespace macareu::slides

// The parts of a slide that are computed: rectangles around tissue.
#pragma once

#include <cstdint>
#include <vector>

#include <macareu/nuclei.hpp>
#include <macareu/sources.hpp>

namespace macareu::slides {

/// Rectangles around the connected parts of the tissue, grown by a halo; those that overlap are joined. Their
/// corners are multiples of `unit`. Without a mask: the whole slide. In the order of their left sides.
std::vector<image_region> tissue_parts(const extents& slide, const tissue_mask* tissue, std::int64_t halo,
                                       std::int64_t unit);

}  // namespace macareu::slides

// Regions of interest from GeoJSON.
#pragma once

#include <string>
#include <vector>

#include "slides/tissue/regions.hpp"

namespace macareu::tool {

/// The polygons of a FeatureCollection, a Feature, a list of Features as QuPath writes them, or a geometry.
/// Throws io_error for anything else.
std::vector<slides::region> read_regions(const std::string& file);

}  // namespace macareu::tool

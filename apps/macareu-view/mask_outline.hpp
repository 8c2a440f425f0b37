// The outline of a mask, such as that of tissue.
#pragma once

#include <string>

#include <macareu/sources.hpp>

namespace macareu::tool {

/// GeoJSON of the pixels above 0, in pixels of an image of this width. Large masks are read in steps of
/// several pixels.
std::string mask_outline(image_source& mask, std::int64_t width);

}  // namespace macareu::tool

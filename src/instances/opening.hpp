// Opening by a disk, for markers.
#pragma once

#include <macareu/generate.hpp>

namespace macareu::formula {

/// The opening of a u8 image by the disk dx^2 + dy^2 <= radius^2; pixels outside the image do not count.
/// Works in strips, with 130 + 2 radius rows of scratch memory per thread.
image open_by_disk(const image& mask, int radius, const generate_options& options);

}  // namespace macareu::formula

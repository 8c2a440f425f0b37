// Grey from colour.
#pragma once

#include <macareu/image.hpp>

namespace macareu::tool {

/// Rec. 601: 0.299 red + 0.587 green + 0.114 blue, in the type of the image. Integers are computed exactly
/// and rounded to the nearest value, halves up; floats in double, from left to right. Takes 3 or more
/// channels and looks at the first three.
image luminance(const image& colour);

}  // namespace macareu::tool

// The next smaller level of a pyramid.
#pragma once

#include <cstddef>

#include <macareu/sources.hpp>

namespace macareu::files {

/// Halves rows and columns of packed pixels, odd sizes rounded up. A result is the mean of the 4, 2 or 1
/// pixels that it covers, integers rounded up from halves; with `nearest`, and for bool and integers of 64
/// bits, the first of them.
void halve(const source_form& from, const void* pixels, bool nearest, void* to);

/// The shape that halve() gives.
extents halved(const extents& shape);

}  // namespace macareu::files

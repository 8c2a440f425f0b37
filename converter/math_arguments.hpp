// Arguments of <math.h>: C takes integers for double, CUDA's overloads find them ambiguous.
#pragma once

#include "edits.hpp"

namespace macareu::converter {

/// Conversions to double, which C makes by itself, for calls with an integer or with both float and double.
/// Throws usage_error for such a call inside a macro, whose arguments may have several types.
std::vector<edit> conversions_to_double(const unit& file, CXCursor function);

}  // namespace macareu::converter

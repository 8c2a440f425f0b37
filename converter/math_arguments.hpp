// Calls of <math.h>, whose functions have one type each in C and overloads in C++.
#pragma once

#include "edits.hpp"

namespace macareu::converter {

/// Of isnan and its like, which <math.h> has as macros for the compiler's own, as they are written.
std::string called_name(CXCursor function);

/// Those that the function calls, of which C++ would choose an overload.
std::vector<std::string> mathematics_of(CXCursor function);

/// In C++: conversions to double, which C makes too, for calls with an integer or with both float and double:
/// CUDA's overloads find them ambiguous.
/// Throws usage_error for such a call inside a macro, whose arguments may have several types.
std::vector<edit> conversions_to_double(const unit& file, CXCursor function);

}  // namespace macareu::converter

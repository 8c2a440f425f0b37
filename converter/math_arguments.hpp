// Calls of <math.h>: its functions have one type each in C, and overloads in C++.
#pragma once

#include "edits.hpp"

namespace macareu::converter {

/// The name as written in the source. <math.h> defines isnan and similar as macros for builtins.
std::string called_name(CXCursor function);

/// The called functions for which C++ would choose an overload.
std::vector<std::string> mathematics_of(CXCursor function);

/// For C++: casts to double in calls with an integer, or with both float and double. C makes these
/// conversions too, while CUDA's overloads are ambiguous. Throws usage_error for such a call in a macro,
/// whose arguments may have several types.
std::vector<edit> conversions_to_double(const unit& file, CXCursor function);

}  // namespace macareu::converter

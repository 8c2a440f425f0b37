// Checks a marked function against the papers' signatures, and derives the types of its images.
#pragma once

#include "clang.hpp"
#include "description.hpp"

namespace macareu::converter {

/// Fills in types, window, inputs and index of `about`. `parameter_struct` is the type marked by #STRUCT, or
/// an invalid one. Throws usage_error with the expected signature.
void read_signature(description& about, CXCursor function, CXType parameter_struct);

/// The same for `better` of a wave, after `offer`.
void check_better(const description& about, CXCursor function, CXType parameter_struct);

/// The type of a pixel or value. Throws usage_error for unsupported types.
value_type value_type_of(CXType type, CXCursor where);

}  // namespace macareu::converter

// What of the file's types and names would not be in generated code as it is in the file.
#pragma once

#include "clang.hpp"

namespace macareu::converter {

/// Throws where what is used stands in a namespace, which generated code does not have.
void check_namespace(CXCursor use, CXCursor used);

/// As above, for all that a type of the file names; nor does generated code have variables and functions
/// ahead of its types.
void check_names_in(CXCursor type);

/// Throws at ::name of the file, which has a namespace around it in generated code.
void check_unqualified(const unit& file, CXCursor kept);

/// Throws where a typedef, enum or struct of the file is not as large, or not placed, as its plain text says:
/// attributes and #pragma pack are outside the text that is kept.
void check_plain(CXCursor type);

}  // namespace macareu::converter

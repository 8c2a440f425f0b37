// Checks for types and names that would change their meaning in generated code.
#pragma once

#include "clang.hpp"

namespace macareu::converter {

/// Throws if the used name is in a namespace, which generated code does not have.
void check_namespace(CXCursor use, CXCursor used);

/// The same for all names in a type of the file. Generated code also declares no variables or functions
/// before its types.
void check_names_in(CXCursor type);

/// Throws for ::name of the file, because generated code puts the name in a namespace.
void check_unqualified(const unit& file, CXCursor kept);

/// Throws if the layout of a typedef, enum or struct differs from its plain text. Attributes and #pragma pack
/// are not part of the text that is kept.
void check_plain(CXCursor type);

}  // namespace macareu::converter

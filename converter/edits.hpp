// Edits of a function's text before it enters the description.
#pragma once

#include <string>
#include <vector>

#include "clang.hpp"

namespace macareu::converter {

struct edit {
  range where;  ///< empty: an insertion
  std::string text;
};

/// The function's text after all edits, which must not overlap. Duplicates, from macros that repeat an
/// argument, are applied once.
std::string edited(const unit& file, CXCursor function, std::vector<edit> edits);

/// Turns C's (rgb){1, 2, 3} into rgb{1, 2, 3}. Literals inside macros stay as they are.
std::vector<edit> struct_literals(const unit& file, CXCursor function);

}  // namespace macareu::converter

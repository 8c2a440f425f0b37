// Changes of a function's text on its way into the description.
#pragma once

#include <string>
#include <vector>

#include "clang.hpp"

namespace macareu::converter {

struct edit {
  range where;  ///< empty: an insertion
  std::string text;
};

/// The function's text after all edits, which must not overlap. One that is there twice, since a macro
/// repeats its argument, is made once.
std::string edited(const unit& file, CXCursor function, std::vector<edit> edits);

/// C's (rgb){1, 2, 3}, which C++ writes rgb{1, 2, 3}. Inside macros it stays as it is.
std::vector<edit> struct_literals(const unit& file, CXCursor function);

}  // namespace macareu::converter

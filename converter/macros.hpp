// The file's macros. They are moved ahead of all functions, so each must have one meaning in the whole file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source.hpp"

namespace macareu::converter {

/// Whether a name may contain it. Names may have UTF-8 letters of any alphabet.
bool is_letter(unsigned char c);

/// The words of a C text, without those in comments and strings. The views refer to `text`.
std::vector<std::string_view> words_in(std::string_view text);
/// The same, as copies.
std::vector<std::string> words_of(std::string_view text);

/// Whether a line defines this macro.
bool defines_macro(const source& from, const std::string& name);

/// Throws usage_error for a macro whose name generated code uses around or inside the functions. All other
/// names are allowed: generated code undefines them after the functions.
void check_macro_names(const source& from);

/// A function of the description, with its range in the text.
struct kept_function {
  std::string name;
  std::size_t begin = 0, end = 0;
};

/// Removes each #undef that follows the last use of its macro. Moved ahead of the functions, it would
/// undefine a macro that they use.
void drop_late_undefs(source& from, const std::vector<kept_function>& functions);

/// Throws usage_error for a macro that the function uses, directly or through other macros, and that changes
/// later in the file.
void check_macros(const source& from, const kept_function& function);

}  // namespace macareu::converter

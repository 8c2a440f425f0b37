// The file's macros: they are taken together, ahead of all functions, so each must mean the same everywhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source.hpp"

namespace macareu::converter {

/// Of a name, which may have letters of any alphabet in UTF-8.
bool is_letter(unsigned char c);

/// Words of C, as parts of the text: not those in comments and strings.
std::vector<std::string_view> words_in(std::string_view text);
/// The same, apart from the text.
std::vector<std::string> words_of(std::string_view text);

/// Whether some line defines it.
bool defines_macro(const source& from, const std::string& name);

/// Throws usage_error for a macro by a name that stands around or in the functions' text once code is
/// generated. All other names are free: they are undefined behind the functions.
void check_macro_names(const source& from);

/// A function that is kept, and where it stands in the text.
struct kept_function {
  std::string name;
  std::size_t begin = 0, end = 0;
};

/// Takes off each #undef behind the last word that means its macro: ahead of the functions it would undefine
/// what they use.
void drop_late_undefs(source& from, const std::vector<kept_function>& functions);

/// Throws usage_error for a macro that the function uses, itself or through other macros, and that means
/// something else at the end of the file.
void check_macros(const source& from, const kept_function& function);

}  // namespace macareu::converter

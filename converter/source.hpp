// A source file without its directives: C++ text with the same line numbers.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "description.hpp"

namespace macareu::converter {

struct place {
  std::string file;
  unsigned line = 0;
};

/// "filter.c:12: "
std::string to_string(const place& where);

struct directive {
  std::optional<category> kind;  ///< empty: the parameter struct
  std::string text;              ///< as written
  place where;
  std::size_t offset = 0;  ///< in the text
};

/// In C, each function of mathematics has one type; in C++, overloads.
enum class language { c, cpp };

struct source {
  language written_in = language::cpp;
  /// Includes the text of #include "..." files, between #line lines. Directives are removed, except for
  /// comments after them.
  std::string text;
  std::vector<directive> directives;
  /// #define, #undef and #include <...> lines, with their offsets.
  struct preprocessing {
    std::size_t offset;
    std::string line;
    place where;
  };
  std::vector<preprocessing> lines;
  /// An unknown directive, text after a directive, or an unreadable header. It is ignored if an #if excludes
  /// it.
  struct fault {
    std::size_t offset;
    std::exception_ptr what;
  };
  std::vector<fault> faults;
};

/// A *.c file is C, unless it includes <tgmath.h> or headers that C lacks. A non-empty `header` is read
/// before the file. Throws io_error if either is missing.
source read_source(const std::string& file, const std::string& header);

/// Whether the ' at `quote` is a digit separator, as in 1'000.
bool parts_digits(std::string_view text, std::size_t quote);

/// Whether a line is #include <header>.
bool includes(const source& from, std::string_view header);

}  // namespace macareu::converter

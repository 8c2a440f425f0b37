// A source file with its directives taken out: what is left is C++ with the same lines.
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
  std::optional<category> kind;  ///< nothing: the parameter struct
  std::string text;              ///< as written
  place where;
  std::size_t offset = 0;  ///< in the text
};

/// What a file's functions of mathematics mean: in C they have one type each, in C++ overloads.
enum class language { c, cpp };

struct source {
  language written_in = language::cpp;
  /// Files named by #include "..." are part of it, between #line lines; of directives only comments
  /// behind them are left.
  std::string text;
  std::vector<directive> directives;
  /// #define, #undef and #include <...>, and where they are.
  struct preprocessing {
    std::size_t offset;
    std::string line;
    place where;
  };
  std::vector<preprocessing> lines;
  /// A directive that is unknown or has something behind it, or a header that cannot be read: of no
  /// consequence where an #if leaves it out.
  struct fault {
    std::size_t offset;
    std::exception_ptr what;
  };
  std::vector<fault> faults;
};

/// A file *.c is C, but for one that includes headers which C does not have, or <tgmath.h>, which has
/// overloads. `header` is read before the file where it is not empty. Throws io_error where one of the two is
/// not there.
source read_source(const std::string& file, const std::string& header);

/// Whether the ' at `quote` stands inside a number, as in 1'000.
bool parts_digits(std::string_view text, std::size_t quote);

/// Whether some line is #include <header>.
bool includes(const source& from, std::string_view header);

}  // namespace macareu::converter

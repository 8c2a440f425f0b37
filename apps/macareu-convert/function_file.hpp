// The file with a marked function or its description, shared by `convert` and `run`.
#pragma once

#include <optional>
#include <string>

#include <description.hpp>

#include "command/parser.hpp"

namespace macareu::tool {

struct function_file {
  std::string file, header;
  std::optional<std::string> border;

  /// The parser keeps references to this object.
  void add_to(parser& options);

  /// Parses the source, with a cache, or reads a .json file. Throws usage_error with file and line.
  converter::description described() const;

  /// A name for programs and files: the file's stem, in letters that are valid in a program name.
  std::string program_name() const;
};

/// Throws usage_error if an option for one kind of function is given for another, where it would have no
/// effect.
void check_option_of(const std::string& option, converter::category of, converter::category kind);

}  // namespace macareu::tool

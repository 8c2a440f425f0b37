// The file with a marked function, or with its description: what `convert` and `run` have in common.
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

  /// From the source, through the cache; from a .json file as it is. Throws usage_error with file and line.
  converter::description described() const;

  /// A name for programs and files: the file's, in letters that a program's name may have.
  std::string program_name() const;
};

/// Throws usage_error where an option of functions of one kind is given for one of another: it does nothing
/// there, so something else was meant.
void check_option_of(const std::string& option, converter::category of, converter::category kind);

}  // namespace macareu::tool

// The file with a marked function, or with its description: what `convert` and `run` have in common.
#pragma once

#include <string>

#include <description.hpp>

#include "parser.hpp"

namespace macareu::tool {

struct function_file {
  std::string file, header;
  std::string border = "nearest";

  /// The parser keeps references to this object.
  void add_to(parser& options);

  /// From the source, through the cache; from a .json file as it is. Throws usage_error with file and line.
  converter::description described() const;

  /// A name for programs and files: the file's, in letters that a program's name may have.
  std::string program_name() const;
};

}  // namespace macareu::tool

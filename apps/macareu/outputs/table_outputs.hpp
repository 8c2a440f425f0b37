// Where the table of an operator goes: to a file, as CSV or JSON, or to the terminal; of a histogram a plot
// too.
#pragma once

#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/files.hpp>

#include "command/parser.hpp"

namespace macareu::tool {

class table_outputs {
 public:
  /// The parser keeps references to this object.
  void add_to(parser& options, const operator_description& about);
  /// The files there will be. Throws usage_error where one has an extension that does not do.
  std::vector<std::string> check() const;
  void add_to(output_files& files, const table& data) const;
  /// To stdout, where no file was given.
  void print(const table& data) const;

 private:
  std::string file_, plot_;
};

}  // namespace macareu::tool

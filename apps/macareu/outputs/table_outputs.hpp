// The destination of an operator's table: a CSV or JSON file, or stdout. Histograms may also have a plot.
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
  /// The files that will be written. Throws usage_error for an unsupported extension.
  std::vector<std::string> check() const;
  void add_to(output_files& files, const table& data) const;
  /// Prints to stdout if no file was given.
  void print(const table& data) const;

 private:
  std::string file_, plot_;
};

}  // namespace macareu::tool

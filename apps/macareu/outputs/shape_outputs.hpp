// The file of an operator's polygons, written object by object.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <macareu/shapes.hpp>
#include <macareu/text_file.hpp>

#include "command/parser.hpp"

namespace macareu::tool {

class shape_outputs {
 public:
  /// The parser keeps references to this object.
  void add_to(parser& options, const operator_description& about);
  /// The files that will be written. Throws usage_error for an unsupported extension.
  std::vector<std::string> check() const;

  const std::string& file() const { return file_; }
  /// A new text of `place`, which is the file or becomes it; what was written before is dropped.
  void open(const std::filesystem::path& place);
  void add(const shape& one);
  void commit();

 private:
  void flush();

  std::string file_;
  double scale_ = 1;
  std::unique_ptr<text_file> out_;
  std::unique_ptr<shape_text> text_;
  std::string waiting_;
};

}  // namespace macareu::tool

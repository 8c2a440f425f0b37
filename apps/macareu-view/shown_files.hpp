// The files that a page shows, opened.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <macareu/page.hpp>

#include "command/inputs.hpp"

namespace macareu::tool {

class shown_files {
 public:
  std::vector<std::string> images;
  std::string labels, table, mask;
  bool side_by_side = false;
  input_options reading;

  /// Opens all files. Throws usage_error and io_error. The content refers to this object.
  page_content open();

 private:
  page_image open_image(const std::string& file, const input_options& how);

  std::vector<std::unique_ptr<image_source>> sources_;
  macareu::table objects_;
};

}  // namespace macareu::tool

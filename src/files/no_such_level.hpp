// A level that a file does not have, told apart from one that cannot be read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <macareu/error.hpp>

namespace macareu::files {

class no_such_level : public io_error {
 public:
  /// `levels`: how many the file has.
  no_such_level(const std::filesystem::path& file, int level, std::size_t levels)
      : io_error(file.string(), "there is no level " + std::to_string(level) +
                                    (levels == 1 ? ": the file has one, 0"
                                                 : ": levels are 0 to " + std::to_string(levels - 1))) {}
};

}  // namespace macareu::files

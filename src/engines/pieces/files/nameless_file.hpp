// A work file without a name: it ends with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engines/pieces/files/file_access.hpp"
#include "engines/pieces/run.hpp"

namespace macareu::pieces {

class nameless_file {
 public:
  /// Where bytes lie in it.
  struct place {
    std::int64_t offset = 0;
    std::size_t bytes = 0;
  };

  explicit nameless_file(run& of);

  int descriptor() const { return file_.get(); }
  /// The one it had, for messages.
  const std::filesystem::path& name() const { return name_; }
  place add(std::string_view bytes);
  std::string read(const place& at) const;

 private:
  run& run_;
  std::filesystem::path name_;
  unique_descriptor file_;
  std::int64_t end_ = 0;
};

}  // namespace macareu::pieces

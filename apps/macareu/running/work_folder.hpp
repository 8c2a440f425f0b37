// Work files of one run, in a hidden directory beside its outputs.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace macareu::tool {

/// A directory for one run with an output, removed at the end. What a killed run left in it is removed
/// before.
class work_folder {
 public:
  explicit work_folder(std::filesystem::path path) : path_(std::move(path)) {}
  ~work_folder();
  work_folder(const work_folder&) = delete;
  work_folder& operator=(const work_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// output: for the message if another run uses the directory.
  void create(const std::string& output);

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace macareu::tool

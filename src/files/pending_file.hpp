// A file that appears under its name when it is complete.
#pragma once

#include <filesystem>

namespace macareu::files {

/// An empty temporary beside the destination; commit() renames it, and the destructor removes it otherwise.
/// Symbolic links to the destination are followed.
class pending_file {
 public:
  /// Fails if the destination is a directory, or its directory cannot be written.
  explicit pending_file(const std::filesystem::path& file);
  ~pending_file();
  pending_file(pending_file&& other) noexcept;
  pending_file& operator=(pending_file&&) = delete;

  /// The temporary.
  const std::filesystem::path& path() const { return path_; }
  /// The file in messages.
  const std::filesystem::path& name() const { return name_; }

  /// Puts a finished file in place of the temporary: renamed, or copied from another file system.
  void adopt(const std::filesystem::path& file);
  void commit();

 private:
  std::filesystem::path name_, target_, path_;
};

}  // namespace macareu::files

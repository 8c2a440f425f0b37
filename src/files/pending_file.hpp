// Files and directories that appear under their name when they are complete.
#pragma once

#include <filesystem>
#include <utility>

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
  /// The temporary stays.
  std::filesystem::path release() { return std::exchange(path_, {}); }

 private:
  std::filesystem::path name_, target_, path_;
};

/// The same for a directory. One that exists is replaced if `replaceable` accepts it, and then removed.
class pending_directory {
 public:
  pending_directory(const std::filesystem::path& directory,
                    bool (*replaceable)(const std::filesystem::path& existing));
  ~pending_directory();
  pending_directory(const pending_directory&) = delete;
  pending_directory& operator=(const pending_directory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& name() const { return name_; }
  void commit();
  std::filesystem::path release() { return std::exchange(path_, {}); }

 private:
  std::filesystem::path name_, target_, path_;
};

/// Resolves a chain of symbolic links, even to a file that does not exist yet.
std::filesystem::path followed(std::filesystem::path file);

/// Puts a directory in place of another one, which is then under the old name or beside it. Returns where.
std::filesystem::path exchange_directories(const std::filesystem::path& made,
                                           const std::filesystem::path& target);

/// Removes the temporaries of this destination whose process was killed.
void remove_leftovers(const std::filesystem::path& file);

}  // namespace macareu::files

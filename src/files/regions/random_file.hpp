// A file that is read and written at any offset. Every failure is an io_error that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace macareu::files {

/// A path for mkostemp, in `directory` or in that for temporary files.
std::string scratch_name(const std::filesystem::path& directory);

class random_file {
 public:
  /// A regular file to read; messages use `name`.
  static random_file open(const std::filesystem::path& path, const std::filesystem::path& name);
  /// A file that exists and is no link, to write.
  static random_file open_to_write(const std::filesystem::path& path, const std::filesystem::path& name);
  /// An empty file without a name in `directory`, or in the directory for temporary files. It disappears with
  /// this object. `purpose` is for messages.
  static random_file scratch(const std::filesystem::path& directory, const std::string& purpose);

  random_file(random_file&& other) noexcept;
  random_file& operator=(random_file&& other) noexcept;
  ~random_file();

  /// The size when the file was opened, or given one.
  std::uint64_t size() const { return state_.size; }
  const std::string& name() const { return name_; }

  void read(std::uint64_t offset, std::span<std::byte> to) const;
  void write(std::uint64_t offset, std::span<const std::byte> from);
  /// Gives the file its size.
  void truncate(std::uint64_t bytes);
  /// The same; where the file system can, a full disk is reported here.
  void reserve(std::uint64_t bytes);
  /// Fails if size or time of the file changed after it was opened.
  void require_unchanged() const;
  /// Fails if `path` is another file by now, or the file changed.
  void require_unchanged_at(const std::filesystem::path& path) const;
  /// Size, time, and a checksum of blocks all over the file, the first and the last among them.
  std::string identity() const;
  /// Some file systems report a full disk only here. The destructor closes silently, after failures only.
  void close();

 private:
  struct state {
    std::uint64_t size = 0;
    std::int64_t modified = 0;  // in nanoseconds
    std::uint64_t device = 0, inode = 0;
    bool operator==(const state&) const = default;
  };

  random_file() = default;
  random_file(int descriptor, std::string name);
  state examine() const;
  void require(const state& now) const;
  [[noreturn]] void fail() const;

  int descriptor_ = -1;
  std::string name_;
  state state_;
};

}  // namespace macareu::files

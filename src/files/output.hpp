// A file to write, with every call checked.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace macareu::files {

class output {
 public:
  /// `name` is the file in messages: the destination, where `path` is a temporary beside it.
  explicit output(const std::filesystem::path& path) : output(path, path) {}
  output(const std::filesystem::path& path, const std::filesystem::path& name);
  ~output();
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& name() const { return name_; }

  void write(const void* from, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Some file systems report a full disk only here. The destructor closes silently, after failures only.
  void close();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::filesystem::path name_;
  int descriptor_ = -1;
};

}  // namespace macareu::files

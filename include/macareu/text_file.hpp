// Long texts, written and read in parts.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

namespace macareu {

/// A text that appears under its name at commit(). Until then it is a temporary file beside it, which is
/// removed without a commit. A pipe or device is written at once. Where the name ends in .gz the text is
/// compressed by zlib, on several threads with the same bytes; without it in the build usage_error is thrown.
class text_file {
 public:
  explicit text_file(const std::filesystem::path& file, int threads = 1);
  ~text_file();
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Reads a text in parts. Text that gzip compressed is unpacked, whatever the name. Throws io_error.
void read_text(const std::filesystem::path& file, const std::function<void(std::string_view)>& take);
/// take(line) for each line of a text, without its end. Like read_text().
void read_lines(const std::filesystem::path& file, const std::function<void(std::string_view)>& take);

}  // namespace macareu

// A file or stream of bytes to read. Every failure is an io_error that gives the file and the offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace macareu::files {

/// Regular files are read in place. Pipes and devices are buffered in memory as far as they were read, so
/// formats treat both alike.
class input {
 public:
  /// `name` is the file in messages, and the one whose neighbours a header names.
  explicit input(const std::filesystem::path& file) : input(file, file) {}
  input(const std::filesystem::path& file, const std::filesystem::path& name);
  ~input();
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& name() const { return name_; }
  bool is_stream() const { return stream_; }
  std::uint64_t offset() const { return offset_; }
  /// Bytes known to exist; for a stream, those read so far.
  std::uint64_t size() const { return size_; }

  /// Whether `count` more bytes follow. A stream is read about that far, so a false claim costs no more
  /// memory than the bytes that exist.
  bool has(std::uint64_t count);
  /// Bytes from here to the end of what is known to exist.
  std::uint64_t remaining() const { return size_ - offset_; }

  void seek(std::uint64_t offset);
  /// The next byte, or -1 at the end.
  int peek();
  int get();
  /// The next bytes, without moving; fewer at the end.
  std::string peek(std::size_t count);
  /// Up to and without the next line feed; a carriage return before it is dropped too. Fails at the end of
  /// the file and on lines of 64 KiB or more.
  std::string line();
  /// Fills `to`, or fails.
  void read(void* to, std::size_t count);
  /// Reads up to `count` bytes, fewer at the end.
  std::size_t read_some(void* to, std::size_t count);

  /// "file: byte N: message"
  [[noreturn]] void fail(std::string_view message) const { fail_at(offset_, message); }
  [[noreturn]] void fail_at(std::uint64_t offset, std::string_view message) const;

 private:
  /// From the current offset of a regular file; fewer only at its end.
  std::size_t from_file(void* to, std::size_t count) const;
  std::size_t from_file_at(std::uint64_t offset, void* to, std::size_t count) const;
  /// Returns the bytes of one read(), so that a pipe with data does not block; 0 at its end.
  std::size_t from_stream(void* to, std::size_t count) const;
  /// Loads the byte at the current offset into the window; false at the end.
  bool refill();

  std::filesystem::path path_;
  std::filesystem::path name_;
  int descriptor_ = -1;
  bool stream_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t offset_ = 0;
  /// Part of a regular file, or all data of a stream so far.
  std::vector<std::byte> window_;
  std::uint64_t window_start_ = 0;
};

}  // namespace macareu::files

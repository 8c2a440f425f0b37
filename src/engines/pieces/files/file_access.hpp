// Reads and writes at an offset that do all or throw.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

namespace macareu::pieces {

/// Closes its file.
class unique_descriptor {
 public:
  explicit unique_descriptor(int number = -1) : number_(number) {}
  ~unique_descriptor();
  unique_descriptor(unique_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  unique_descriptor& operator=(unique_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// Throws io_error, which names the file.
void write_all(int descriptor, const void* from, std::size_t bytes, std::int64_t offset,
               const std::filesystem::path& name);
void read_all(int descriptor, void* to, std::size_t bytes, std::int64_t offset,
              const std::filesystem::path& name);
/// The same for parts of memory that follow each other in the file.
void write_all(int descriptor, std::vector<iovec> from, std::int64_t offset,
               const std::filesystem::path& name);
void read_all(int descriptor, std::vector<iovec> to, std::int64_t offset, const std::filesystem::path& name);
/// A work file, mode 0600. A new one must not exist; a kept one is opened again.
unique_descriptor open_work_file(const std::filesystem::path& file, bool keep);

}  // namespace macareu::pieces

#include "engines/pieces/files/file_access.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <macareu/error.hpp>

namespace macareu::pieces {

unique_descriptor::~unique_descriptor() {
  if (is_open()) ::close(number_);
}

void write_all(int descriptor, const void* from, std::size_t bytes, std::int64_t offset,
               const std::filesystem::path& name) {
  for (const auto* at = static_cast<const std::byte*>(from); bytes > 0;) {
    const auto done = ::pwrite(descriptor, at, bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw io_error(name.string(), std::strerror(done == 0 ? ENOSPC : errno));
    at += done, offset += done, bytes -= static_cast<std::size_t>(done);
  }
}

void read_all(int descriptor, void* to, std::size_t bytes, std::int64_t offset,
              const std::filesystem::path& name) {
  for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
    const auto done = ::pread(descriptor, at, bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw io_error(name.string(), (done < 0 ? std::strerror(errno) : "it is cut off"));
    at += done, offset += done, bytes -= static_cast<std::size_t>(done);
  }
}

unique_descriptor open_work_file(const std::filesystem::path& file, bool keep) {
  unique_descriptor opened(
      ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (keep ? 0 : O_EXCL), 0600));
  if (!opened.is_open()) throw io_error(file.string(), std::strerror(errno));
  return opened;
}

}  // namespace macareu::pieces

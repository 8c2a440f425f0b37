#include "engines/pieces/files/file_access.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

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

namespace {

/// transfer(parts, count, offset) as often as it takes.
template <class Transfer>
void transfer_all(std::vector<iovec>& parts, std::int64_t offset, const char* at_end,
                  const std::filesystem::path& name, const Transfer& transfer) {
  constexpr std::size_t most = 1024;  // of one call, in Linux
  for (std::span<iovec> left = parts; !left.empty();) {
    const auto done = transfer(left.data(), static_cast<int>(std::min(left.size(), most)), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw io_error(name.string(), done < 0 ? std::strerror(errno) : at_end);
    offset += done;
    auto bytes = static_cast<std::size_t>(done);
    for (; !left.empty() && bytes >= left[0].iov_len; left = left.subspan(1)) bytes -= left[0].iov_len;
    if (left.empty()) return;
    left[0].iov_base = static_cast<std::byte*>(left[0].iov_base) + bytes;
    left[0].iov_len -= bytes;
  }
}

}  // namespace

void write_all(int descriptor, std::vector<iovec> from, std::int64_t offset,
               const std::filesystem::path& name) {
  transfer_all(from, offset, std::strerror(ENOSPC), name,
               [&](const iovec* parts, int count, std::int64_t at) {
                 return ::pwritev(descriptor, parts, count, at);
               });
}

void read_all(int descriptor, std::vector<iovec> to, std::int64_t offset, const std::filesystem::path& name) {
  transfer_all(to, offset, "it is cut off", name, [&](const iovec* parts, int count, std::int64_t at) {
    return ::preadv(descriptor, parts, count, at);
  });
}

unique_descriptor open_work_file(const std::filesystem::path& file, bool keep) {
  unique_descriptor opened(
      ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (keep ? 0 : O_EXCL), 0600));
  if (!opened.is_open()) throw io_error(file.string(), std::strerror(errno));
  return opened;
}

}  // namespace macareu::pieces

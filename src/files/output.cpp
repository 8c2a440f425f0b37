#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <macareu/error.hpp>

namespace macareu::files {

output::output(const std::filesystem::path& path, const std::filesystem::path& name)
    : path_(path), name_(name) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail();
}

output::~output() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void output::write(const void* from, std::size_t count) {
  // One call of write() takes at most 2 GiB.
  constexpr std::size_t largest_write = std::size_t{1} << 30;
  const auto* next = static_cast<const std::byte*>(from);
  while (count > 0) {
    const auto put = ::write(descriptor_, next, std::min(count, largest_write));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail();
    next += put;
    count -= static_cast<std::size_t>(put);
  }
}

void output::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail();
}

void output::fail() const { throw io_error(name_.string(), std::strerror(errno)); }

}  // namespace macareu::files

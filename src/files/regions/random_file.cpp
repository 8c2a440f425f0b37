#include "random_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <macareu/error.hpp>

#include "core/ceil_div.hpp"

namespace macareu::files {
namespace {

// One call reads or writes at most 2 GiB.
constexpr std::size_t largest_part = std::size_t{1} << 30;

int open_or_fail(const std::filesystem::path& path, int flags, const std::string& name) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) throw io_error(name, std::strerror(errno));
  return descriptor;
}

/// FNV-1a: detects accidental changes; it is not a security check.
class checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const auto byte : bytes) value_ = (value_ ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace

std::string scratch_name(const std::filesystem::path& directory) {
  std::error_code error;
  const auto where = directory.empty() ? std::filesystem::temp_directory_path(error) : directory;
  if (error) throw io_error("there is no directory for temporary files: " + error.message() + "; set TMPDIR");
  return (where / ".macareu-scratch-XXXXXX").string();
}

random_file random_file::open(const std::filesystem::path& path, const std::filesystem::path& name) {
  return {open_or_fail(path, O_RDONLY, name.string()), name.string()};
}

random_file random_file::open_to_write(const std::filesystem::path& path, const std::filesystem::path& name) {
  return {open_or_fail(path, O_RDWR | O_NOFOLLOW, name.string()), name.string()};
}

random_file random_file::scratch(const std::filesystem::path& directory, const std::string& purpose) {
  auto path = scratch_name(directory);
  const auto name = path + ", the work file for " + purpose;
  // Exclusive, and with mode 0600.
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) throw io_error(name, std::strerror(errno));
  ::unlink(path.c_str());
  return {descriptor, name};
}

random_file::random_file(int descriptor, std::string name) : random_file() {
  descriptor_ = descriptor;
  name_ = std::move(name);
  state_ = examine();
}

random_file::random_file(random_file&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      state_(other.state_) {}

random_file& random_file::operator=(random_file&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(name_, other.name_);
  std::swap(state_, other.state_);
  return *this;
}

random_file::~random_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void random_file::read(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const auto got =
        ::pread(descriptor_, to.data(), std::min(to.size(), largest_part), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0)
      throw io_error(name_, "the file ends at byte " + std::to_string(offset) + ", but had " +
                                std::to_string(size()) +
                                " bytes when it was opened: it changed while it was read");
    offset += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

void random_file::write(std::uint64_t offset, std::span<const std::byte> from) {
  while (!from.empty()) {
    const auto put =
        ::pwrite(descriptor_, from.data(), std::min(from.size(), largest_part), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail();
    offset += static_cast<std::uint64_t>(put);
    from = from.subspan(static_cast<std::size_t>(put));
  }
}

void random_file::reserve(std::uint64_t bytes) {
  const bool failed = bytes > 0 && ::fallocate(descriptor_, 0, 0, static_cast<off_t>(bytes)) != 0;
  if (failed && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR) fail();
  truncate(bytes);
}

void random_file::truncate(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail();
  state_ = examine();
}

void random_file::require_unchanged() const { require(examine()); }

void random_file::require_unchanged_at(const std::filesystem::path& path) const {
  require(open(path, name_).state_);
}

void random_file::require(const state& now) const {
  if (now == state_) return;
  throw io_error(name_, "the file had " + std::to_string(state_.size) + " bytes when it was opened and has " +
                            std::to_string(now.size) +
                            " now, or was written since: it changed while it was read");
}

std::string random_file::identity() const {
  constexpr std::uint64_t blocks = 64, block_size = 4096;
  std::array<std::byte, block_size> block;
  checksum sum;
  const auto size = state_.size;
  const auto count = std::min(blocks, ceil_div(size, block_size));
  const auto length = static_cast<std::size_t>(std::min(size, block_size));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto last = size - length;
    const auto offset = i + 1 == count ? last : i * (last / (count - 1));
    const auto part = std::span(block).first(length);
    read(offset, part);
    sum.add(part);
  }
  require_unchanged();
  return std::to_string(size) + " bytes, modified " + std::to_string(state_.modified) + ", checksum " +
         std::to_string(sum.value());
}

void random_file::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail();
}

random_file::state random_file::examine() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail();
  if (!S_ISREG(status.st_mode)) throw io_error(name_, "is not a regular file");
  return {static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec, status.st_dev,
          status.st_ino};
}

void random_file::fail() const { throw io_error(name_, std::strerror(errno)); }

}  // namespace macareu::files

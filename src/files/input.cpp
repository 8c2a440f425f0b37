#include "input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <thread>

#include <macareu/error.hpp>

namespace macareu::files {
namespace {

constexpr std::size_t window_size = std::size_t{1} << 16;
constexpr std::size_t longest_line = std::size_t{1} << 16;
// One call of read() gives at most 2 GiB.
constexpr std::size_t largest_read = std::size_t{1} << 30;
// From so many bytes on several threads read: copies from the system's cache and new pages take most of the
// time.
constexpr std::size_t read_by_threads = std::size_t{1} << 26;
constexpr std::size_t most_threads = 4;

[[noreturn]] void fail_with_errno(const std::filesystem::path& file) {
  throw io_error(file.string(), std::strerror(errno));
}

}  // namespace

input::input(const std::filesystem::path& file, const std::filesystem::path& name)
    : path_(file), name_(name) {
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail_with_errno(name);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || S_ISDIR(status.st_mode)) {
    const bool directory = S_ISDIR(status.st_mode);
    ::close(descriptor_);
    throw io_error(name.string() + (directory ? ": is a directory" : ": cannot be examined"));
  }
  stream_ = !S_ISREG(status.st_mode);
  size_ = stream_ ? 0 : static_cast<std::uint64_t>(status.st_size);
}

input::~input() { ::close(descriptor_); }

bool input::has(std::uint64_t count) {
  while (stream_ && remaining() < count) {
    const auto old_size = window_.size();
    window_.resize(old_size + window_size);
    const auto got = from_stream(window_.data() + old_size, window_size);
    window_.resize(old_size + got);
    size_ = window_.size();
    if (got == 0) return false;
  }
  return remaining() >= count;
}

void input::seek(std::uint64_t offset) {
  const auto here = offset_;
  offset_ = std::min(offset, size_);
  if (offset_ < offset && !has(offset - offset_))
    fail_at(here, "the file ends before byte " + std::to_string(offset));
  offset_ = offset;
}

int input::peek() {
  const bool inside = offset_ >= window_start_ && offset_ - window_start_ < window_.size();
  if (!inside && !refill()) return -1;
  return std::to_integer<int>(window_[static_cast<std::size_t>(offset_ - window_start_)]);
}

int input::get() {
  const int byte = peek();
  if (byte >= 0) ++offset_;
  return byte;
}

std::string input::peek(std::size_t count) {
  const auto here = offset_;
  std::string bytes;
  for (int byte = 0; bytes.size() < count && (byte = get()) >= 0;) bytes += static_cast<char>(byte);
  offset_ = here;
  return bytes;
}

std::string input::line() {
  const auto start = offset_;
  std::string text;
  for (int byte = get(); byte != '\n'; byte = get()) {
    if (byte < 0) fail("the file ends inside its header");
    if (text.size() == longest_line) fail_at(start, "a header line does not end");
    text += static_cast<char>(byte);
  }
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

void input::read(void* to, std::size_t count) {
  const auto got = read_some(to, count);
  if (got < count) fail("the file ends " + std::to_string(count - got) + " bytes early");
}

std::size_t input::read_some(void* to, std::size_t count) {
  auto* next = static_cast<std::byte*>(to);
  std::size_t done = 0;
  while (done < count && peek() >= 0) {
    const auto first = static_cast<std::size_t>(offset_ - window_start_);
    const auto part = std::min(count - done, window_.size() - first);
    std::memcpy(next + done, window_.data() + first, part);
    done += part;
    offset_ += part;
    // Reads larger than the window bypass it.
    if (!stream_ && count - done > window_size) {
      const auto got = from_file(next + done, count - done);
      done += got;
      offset_ += got;
    }
  }
  return done;
}

void input::fail_at(std::uint64_t offset, std::string_view message) const {
  throw io_error(name_.string(), "byte " + std::to_string(offset) + ": " + std::string(message));
}

std::size_t input::from_file(void* to, std::size_t count) const {
  const auto threads = std::min<std::size_t>(most_threads, std::thread::hardware_concurrency());
  if (count < read_by_threads || threads < 2) return from_file_at(offset_, to, count);
  const auto part = count / threads / window_size * window_size;  // whole pages
  const auto read_part = [&](std::size_t i) {
    const auto first = i * part, bytes = i + 1 < threads ? part : count - first;
    return from_file_at(offset_ + first, static_cast<std::byte*>(to) + first, bytes);
  };
  std::vector<std::future<std::size_t>> others;
  for (std::size_t i = 1; i < threads; ++i) others.push_back(std::async(read_part, i));
  auto done = read_part(0);
  for (std::size_t i = 1; i < threads; ++i)
    if (const auto got = others[i - 1].get(); done == i * part) done += got;  // not after the file's end
  return done;
}

std::size_t input::from_file_at(std::uint64_t offset, void* to, std::size_t count) const {
  auto* next = static_cast<std::byte*>(to);
  std::size_t done = 0;
  while (done < count) {
    const auto part = std::min(count - done, largest_read);
    const auto got = ::pread(descriptor_, next + done, part, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno(name_);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t input::from_stream(void* to, std::size_t count) const {
  for (;;) {
    const auto got = ::read(descriptor_, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno(name_);
    return static_cast<std::size_t>(got);
  }
}

bool input::refill() {
  if (stream_) return has(1);
  window_.resize(window_size);
  window_.resize(from_file(window_.data(), window_size));
  window_start_ = offset_;
  return !window_.empty();
}

}  // namespace macareu::files

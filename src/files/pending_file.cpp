#include "pending_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include <macareu/error.hpp>

#include "core/private_folder.hpp"

namespace macareu::files {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& name, int error) {
  throw io_error(name.string(), std::strerror(error));
}

/// The names of temporaries begin with it. Truncated, so that the longest name leaves room for the suffix.
std::string prefix_of(const fs::path& target) {
  return "." + target.stem().string().substr(0, 128) + ".macareu-";
}

/// Calls `create` with names in the directory of `target` until one is not taken. Exclusive creation prevents
/// sharing it with another process, and follows no link.
template <class Create>
fs::path reserve_beside(const fs::path& target, const fs::path& name, Create create) {
  static std::atomic<unsigned> counter = 0;
  for (;;) {
    auto temporary = prefix_of(target) + std::to_string(::getpid()) + "-" + std::to_string(counter++) +
                     ".tmp" + name.extension().string();
    auto path = target.parent_path() / temporary;
    if (create(path.c_str())) return path;
    if (errno != EEXIST) fail(name, errno);
  }
}

bool create_file(const char* path) {
  const int descriptor = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  return descriptor >= 0 && ::close(descriptor) == 0;
}

bool create_directory(const char* path) { return ::mkdir(path, 0777) == 0; }

}  // namespace

fs::path followed(fs::path file) {
  constexpr int longest_chain = 40;
  std::error_code error;
  for (int i = 0; i < longest_chain && fs::is_symlink(file, error); ++i)
    file = file.parent_path() / fs::read_symlink(file, error);
  return file;
}

fs::path exchange_directories(const fs::path& made, const fs::path& target) {
  // Both change places at once.
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) return made;
  if (errno != EINVAL && errno != ENOSYS) fail(target, errno);
  const auto old = reserve_beside(target, target, create_directory);
  if (std::rename(target.c_str(), old.c_str()) != 0 || std::rename(made.c_str(), target.c_str()) != 0)
    fail(target, errno);
  return old;
}

void remove_leftovers(const fs::path& file) {
  const auto target = followed(file);
  const auto prefix = prefix_of(target);
  std::error_code ignored;
  for (const auto& entry :
       fs::directory_iterator(target.has_parent_path() ? target.parent_path() : ".", ignored)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(".tmp" + file.extension().string())) continue;
    const auto process = std::atoi(name.c_str() + prefix.size());
    if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

pending_file::pending_file(const fs::path& file) : name_(file), target_(followed(file)) {
  std::error_code ignored;
  if (fs::is_directory(target_, ignored)) throw io_error(file.string(), "is a directory");
  path_ = reserve_beside(target_, file, create_file);
}

pending_file::~pending_file() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove(path_, ignored);
}

pending_file::pending_file(pending_file&& other) noexcept
    : name_(std::move(other.name_)),
      target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})) {}

void pending_file::adopt(const fs::path& file) {
  std::error_code error;
  const auto permissions = fs::status(path_, error).permissions();
  if (!error) fs::permissions(file, permissions, error);
  if (!error && std::rename(file.c_str(), path_.c_str()) == 0) return;
  if (!error && errno != EXDEV) fail(name_, errno);
  if (!error) fs::copy_file(file, path_, fs::copy_options::overwrite_existing, error);
  if (!error) fs::remove(file, error);
  if (error) fail(name_, error.value());
}

void pending_file::commit() {
  if (std::rename(path_.c_str(), target_.c_str()) != 0) fail(name_, errno);
  path_.clear();
}

pending_directory::pending_directory(const fs::path& directory, bool (*replaceable)(const fs::path& existing))
    : name_(directory), target_(followed(directory)) {
  std::error_code ignored;
  if (fs::exists(target_, ignored) && !replaceable(target_))
    throw io_error(name_.string(), "exists and is something else: remove it, or choose another name");
  path_ = reserve_beside(target_, name_, create_directory);
}

pending_directory::~pending_directory() {
  if (!path_.empty()) remove_folder(path_);
}

void pending_directory::commit() {
  std::error_code ignored;
  if (!fs::exists(target_, ignored)) {
    if (std::rename(path_.c_str(), target_.c_str()) != 0) fail(name_, errno);
    path_.clear();
    return;
  }
  path_ = exchange_directories(path_, target_);  // the destructor removes the old one
}

}  // namespace macareu::files

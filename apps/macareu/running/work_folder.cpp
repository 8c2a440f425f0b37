#include "running/work_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <macareu/error.hpp>

namespace macareu::tool {

namespace fs = std::filesystem;

work_folder::~work_folder() {
  if (lock_ < 0) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

void work_folder::create(const std::string& output) {
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
    throw io_error(path_.string() + ": " + std::strerror(errno));
  struct stat about {};
  if (::lstat(path_.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != ::geteuid() ||
      (about.st_mode & 077) != 0)
    throw io_error(path_.string() + ": is not a private folder of this user; remove it");
  const auto lock = path_ / "lock";
  const int descriptor = ::open(lock.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) throw io_error(lock.string() + ": " + std::strerror(errno));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor);
    throw io_error(output + ": another run is writing it, with work files in " + path_.string());
  }
  lock_ = descriptor;
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.path() != lock) fs::remove_all(entry.path());
}

}  // namespace macareu::tool

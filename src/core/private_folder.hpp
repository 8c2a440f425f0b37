// Folders for work files of one run at a time.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include <macareu/error.hpp>

namespace macareu {

/// Makes the folder where it is not there. Throws io_error if other users could look into it.
inline void make_private_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw io_error(folder.string(), std::strerror(errno));
  struct stat about {};
  if (::lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != ::geteuid() ||
      (about.st_mode & 077) != 0)
    throw io_error(folder.string(), "is not a private folder of this user; remove it");
}

/// Locks the folder until the descriptor is closed. Throws io_error, about `output`, if another run has it.
inline int lock_folder(const std::filesystem::path& folder, const std::string& output) {
  const auto file = folder / "lock";
  while (true) {
    const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0) throw io_error(file.string(), std::strerror(errno));
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
      ::close(lock);
      throw io_error(output, "another run is writing it, with work files in " + folder.string());
    }
    // A run that ended meanwhile removed the file that it had locked.
    struct stat own {
    }, there{};
    if (::fstat(lock, &own) == 0 && ::lstat(file.c_str(), &there) == 0 && own.st_ino == there.st_ino)
      return lock;
    ::close(lock);
  }
}

/// Removes a folder with all it holds, also while others remove or end files of theirs in it. The lock goes
/// last: from then on the folder may be another run's, and stays if it is. Returns whether it is gone; NFS
/// keeps files that are open.
inline bool remove_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  constexpr int most_tries = 1000;
  const auto lock = folder / "lock";
  std::error_code error;
  for (int tries = 0; tries < most_tries; ++tries) {
    bool is_empty = true;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (at->path() == lock) continue;
      is_empty = false;
      std::error_code gone;  // before its turn
      fs::remove_all(at->path(), gone);
    }
    if (error || is_empty) break;
  }
  fs::remove(lock, error);
  fs::remove(folder, error);
  return !error;
}

}  // namespace macareu

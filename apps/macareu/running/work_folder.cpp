#include "running/work_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <macareu/error.hpp>

namespace macareu::tool {
namespace {

namespace fs = std::filesystem;

/// The first lines that differ.
std::string difference(const std::string& before, const std::string& now) {
  const auto [a, b] = std::ranges::mismatch(before, now);
  const auto line = [](const std::string& text, std::size_t at) {
    const auto begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  return "then '" + line(before, static_cast<std::size_t>(a - before.begin())) + "', now '" +
         line(now, static_cast<std::size_t>(b - now.begin())) + "'";
}

}  // namespace

work_folder::~work_folder() {
  if (lock_ < 0) return;
  std::error_code ignored;
  if (!keeps_) fs::remove_all(path_, ignored);
  ::close(lock_);
}

void work_folder::lock(const std::string& output) {
  struct stat about {};
  if (::lstat(path_.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != ::geteuid() ||
      (about.st_mode & 077) != 0)
    throw io_error(path_.string() + ": is not a private folder of this user; remove it");
  const auto file = path_ / "lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) throw io_error(file.string() + ": " + std::strerror(errno));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor);
    throw io_error(output + ": another run is writing it, with work files in " + path_.string());
  }
  lock_ = descriptor;
}

void work_folder::create(const std::string& output) {
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
    throw io_error(path_.string() + ": " + std::strerror(errno));
  lock(output);
  replaced_ = fs::exists(command());
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.path() != path_ / "lock") fs::remove_all(entry.path());
}

void work_folder::begin(const std::string& output, const description& about) {
  create(output);
  auto unfinished = command();
  unfinished += ".tmp";
  if (!(std::ofstream(unfinished, std::ios::binary) << about.run << about.inputs).flush())
    throw io_error(unfinished.string() + ": cannot be written");
  fs::rename(unfinished, command());
  keeps_ = true;
}

void work_folder::resume(const std::string& output, const description& about) {
  const auto refuse = [&] { throw usage_error("--resume: there is no unfinished run in " + path_.string()); };
  if (!fs::exists(path_)) refuse();
  lock(output);
  std::ifstream file(command(), std::ios::binary);
  if (!file) refuse();
  keeps_ = true;
  const std::string before(std::istreambuf_iterator<char>(file), {});
  const auto now = about.run + about.inputs;
  // Where outputs already have their names, an input may be one of them.
  const bool same = fs::exists(path_ / "renames") ? before.starts_with(about.run) : before == now;
  if (!same)
    throw usage_error("--resume: the unfinished run was another one: " + difference(before, now) +
                      "; start again without --resume");
}

}  // namespace macareu::tool

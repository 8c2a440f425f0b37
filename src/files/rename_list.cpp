#include "rename_list.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <macareu/error.hpp>

#include "output.hpp"
#include "pending_file.hpp"

namespace macareu::files {
namespace {

namespace fs = std::filesystem;

struct planned_rename {
  std::uint64_t inode;
  fs::path file, target;
};

std::optional<struct stat> status_of(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool has_inode(const fs::path& file, std::uint64_t inode) {
  const auto status = status_of(file);
  return status && status->st_ino == inode;
}

/// Directories tell the file system reliably; files of an overlay may not.
bool on_one_file_system(const fs::path& folder, const fs::path& other) {
  const auto a = status_of(folder), b = status_of(other);
  return a && b && a->st_dev == b->st_dev;
}

bool accepts_any(const fs::path&) { return true; }  // the sink checked it

/// Makes a copy beside the target, where a rename cannot reach it.
fs::path beside(const finished_file& one) {
  if (!fs::is_directory(one.file)) {
    pending_file copy(one.target);
    copy.adopt(one.file);
    return copy.release();
  }
  pending_directory copy(one.target, accepts_any);
  fs::copy(one.file, copy.path(), fs::copy_options::recursive);
  return copy.release();
}

/// Of all files, each once.
void sync_file_systems(const std::vector<planned_rename>& files) {
  std::set<dev_t> done;
  for (const auto& one : files) {
    const auto directory = one.file.parent_path();
    const auto status = status_of(directory);
    if (status && done.insert(status->st_dev).second) sync_file_system(directory);
  }
}

fs::path list_of(const fs::path& folder) { return folder / "renames"; }

void rename_now(const planned_rename& one) {
  if (!has_inode(one.file, one.inode)) {
    if (has_inode(one.target, one.inode)) return;  // by the process that was killed
    throw io_error(one.target.string(), "its finished file " + one.file.string() + " was removed");
  }
  if (fs::is_directory(one.file) && fs::exists(one.target)) {
    fs::remove_all(exchange_directories(one.file, one.target));
    return;
  }
  if (std::rename(one.file.c_str(), one.target.c_str()) != 0)
    throw io_error(one.target.string(), std::strerror(errno));
}

}  // namespace

void sync_file_system(const fs::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool failed = descriptor < 0 || ::syncfs(descriptor) != 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (failed) throw io_error(directory.string(), std::strerror(error));
}

void rename_all(const fs::path& folder, const std::vector<finished_file>& files, bool durable) {
  if (files.empty()) return;
  std::vector<planned_rename> all;
  std::string text;
  for (const auto& one : files) {
    const auto target = fs::absolute(followed(one.target));
    auto file = one.file;
    if (!on_one_file_system(file.parent_path(), target.parent_path())) file = beside({file, target});
    file = fs::absolute(file);
    const auto status = status_of(file);
    if (!status) throw io_error(file.string(), std::strerror(errno));
    all.push_back({status->st_ino, file, target});
    text += std::to_string(status->st_ino) + ' ' + std::to_string(file.native().size()) + ' ' +
            std::to_string(target.native().size()) + ' ' + file.native() + target.native() + '\n';
  }
  if (durable) sync_file_systems(all);
  auto unfinished = list_of(folder);
  unfinished += ".tmp";
  output list(unfinished);
  list.write(text);
  list.close();
  fs::rename(unfinished, list_of(folder));
  for (const auto& one : all) rename_now(one);
}

bool finish_renames(const fs::path& folder) {
  std::ifstream list(list_of(folder), std::ios::binary);
  if (!list) return false;
  std::uint64_t inode = 0;
  std::size_t length = 0, target_length = 0;
  constexpr std::size_t longest = std::size_t{1} << 16;
  while (list >> inode >> length >> target_length) {
    list.get();
    if (length > longest || target_length > longest)
      throw io_error(list_of(folder).string() + ": is damaged");
    std::string file(length, ' '), target(target_length, ' ');
    if (!list.read(file.data(), static_cast<std::streamsize>(length)) ||
        !list.read(target.data(), static_cast<std::streamsize>(target_length)))
      throw io_error(list_of(folder).string() + ": is damaged");
    rename_now({inode, file, target});
  }
  return true;
}

}  // namespace macareu::files

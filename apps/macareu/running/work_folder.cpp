#include "running/work_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <macareu/error.hpp>

#include "core/private_folder.hpp"

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

/// The file must not exist.
void write_new(const fs::path& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  int error = descriptor < 0 ? errno : 0;
  while (error == 0 && !text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      error = errno;
  }
  if (descriptor >= 0 && ::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) throw io_error(file.string(), std::strerror(error));
}

/// Bytes of the file that tells how a run ended. It has them from the beginning, for a disk without room.
constexpr std::size_t longest_reason = 1024;

}  // namespace

work_folder::~work_folder() {
  if (lock_ < 0) return;
  const bool is_left = !keeps_ && !remove_folder(path_);
  ::close(lock_);
  std::error_code in_use;
  if (is_left) fs::remove(path_, in_use);  // the lock was open
}

void work_folder::make(const std::string& output) {
  make_private_folder(path_);
  lock_ = lock_folder(path_, output);
}

void work_folder::clear() const {
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.path() != path_ / "lock") fs::remove_all(entry.path());
}

void work_folder::create(const std::string& output) {
  make(output);
  clear();
}

void work_folder::begin(const std::string& output, const description& about,
                        const std::function<void(const std::string&)>& removes) {
  make(output);
  if (fs::exists(command())) {
    std::string ended_by;
    std::getline(std::ifstream(end(), std::ios::binary), ended_by);
    removes(ended_by);
  }
  clear();
  write_new(end(), std::string(longest_reason, '\n'));
  auto unfinished = command();
  unfinished += ".tmp";
  write_new(unfinished, about.run + about.inputs);
  fs::rename(unfinished, command());
  keeps_ = true;
}

void work_folder::note_end(std::string reason) const {
  if (lock_ < 0) return;  // another rank has the folder
  reason.resize(longest_reason, '\n');
  reason.back() = '\n';
  const int file = ::open(end().c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return;
  // What ended the run is told all the same.
  [[maybe_unused]] const auto written = ::pwrite(file, reason.data(), reason.size(), 0);
  ::close(file);
}

void work_folder::resume(const std::string& output, const description& about) {
  const auto refuse = [&] { throw usage_error("--resume: there is no unfinished run in " + path_.string()); };
  if (!fs::exists(path_)) refuse();
  make(output);
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
  note_end("");
}

}  // namespace macareu::tool

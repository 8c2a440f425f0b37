#include "engines/pieces/run.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>
#include <system_error>

#include <macareu/error.hpp>

#include "engines/pieces/file_access.hpp"
#include "engines/pieces/free_memory.hpp"
#include "engines/pieces/tuning.hpp"

namespace macareu {

std::int64_t default_memory() {
  return static_cast<std::int64_t>(pieces::tuning::share_of_free_memory *
                                   static_cast<double>(pieces::free_memory()));
}

namespace pieces {
namespace {

std::filesystem::path work_folder(const std::filesystem::path& scratch, const std::string& name) {
  return (scratch.empty() ? std::filesystem::temp_directory_path() : scratch) /
         (".macareu-" + name + ".pieces");
}

context without_progress(context how) {
  how.progress = nullptr;
  return how;
}

std::string with_unit(std::int64_t bytes) {
  constexpr std::int64_t kibibyte = 1 << 10, mebibyte = 1 << 20;
  return bytes < 10 * mebibyte ? std::to_string(ceil_div(bytes, kibibyte)) + " KiB"
                               : std::to_string(ceil_div(bytes, mebibyte)) + " MiB";
}

}  // namespace

std::int64_t budget_of(const piece_options& options) {
  return options.memory > 0 ? options.memory : default_memory();
}

run::run(job& job, const piece_options& options, const std::string& description)
    : work(job),
      quiet_how(without_progress(job.how)),
      quiet{quiet_how, {}},
      options_(options),
      budget_(budget_of(options)),
      keeps_(!options.name.empty() || !options.folder.empty()) {
  if (!keeps_) return;
  folder_ = options.folder.empty() ? work_folder(options.scratch, options.name) : options.folder;
  make_folder();
  if (options.folder.empty()) lock_folder();
  try {
    open_journal(description);
  } catch (...) {
    if (lock_ >= 0) ::close(lock_);
    throw;
  }
}

void run::make_folder() const {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    throw io_error(folder_.string() + ": " + std::strerror(errno));
  struct stat about {};
  if (::lstat(folder_.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != ::geteuid() ||
      (about.st_mode & 077) != 0)
    throw io_error(folder_.string() + ": is not a private folder of this user; remove it");
}

void run::lock_folder() {
  const auto lock = folder_ / "lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock_ < 0) throw io_error(lock.string() + ": " + std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw io_error(options_.name + ": another run is writing it, with work files in " + folder_.string());
  }
}

void run::open_journal(const std::string& description) {
  const auto list = folder_ / "journal";
  std::error_code none;
  const auto bytes = std::filesystem::file_size(list, none);
  const bool left = !none && bytes > 0;
  if (!options_.folder.empty()) options_.resume = options_.resume && left;
  if (options_.resume && !left) {
    remove_folder();
    throw usage_error("--resume: there is no unfinished run in " + folder_.string());
  }
  if (!options_.resume && left) {
    work.report.note = "an unfinished run in " + folder_.string() + " was removed; --resume continues one";
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path() != folder_ / "lock") std::filesystem::remove_all(entry.path());
  }
  // The limit that the machine gave may be another one now; pieces must stay as they were.
  const auto limit = folder_ / "limit";
  const int descriptor = open_work_file(limit, true);
  if (options_.memory == 0 && options_.resume)
    read_all(descriptor, &budget_, sizeof budget_, 0, limit);
  else
    write_all(descriptor, &budget_, sizeof budget_, 0, limit);
  ::close(descriptor);
  done.open(list, description, options_.resume);
  if (done.has(is_over, 0)) {
    remove_folder();
    throw usage_error(
        "--resume: the run ended while its outputs got their names; start again without --resume");
  }
}

run::~run() {
  // Writes that wait use the folder, and belong to this run's lock.
  try {
    files.wait();
  } catch (...) {
    // An earlier error ends the run already.
  }
  if (!keeps_) remove_folder();
  if (lock_ >= 0) ::close(lock_);
}

void run::remove_folder() const {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

site run::piece_size(const frame& whole, std::int64_t bytes_per_pixel, whole_axes axes) const {
  const auto forced = [&](std::size_t axis, std::int64_t all, bool as_whole) {
    const auto given = options_.size[axis];
    return as_whole || given == 0 ? all : std::min(all, given);
  };
  if (options_.size != std::array<std::int64_t, 3>{})
    return {forced(0, whole.depth, axes.z), forced(1, whole.height, axes.y), forced(2, whole.width, axes.x)};
  auto most = (budget_ - held) / bytes_per_pixel;
  if (gpu_memory > 0) most = std::min(most, gpu_memory / (bytes_per_pixel * tuning::gpu_bytes_a_byte));
  site size{axes.z ? whole.depth : 1, axes.y ? whole.height : 1, axes.x ? whole.width : 1};
  const auto pixels = [&] { return size.z * size.y * size.x; };
  if (pixels() > most)
    throw usage_error(std::string("memory: a piece of ") + std::to_string(size.z) + " x " +
                      std::to_string(size.y) + " x " + std::to_string(size.x) + " pixels needs " +
                      with_unit(pixels() * bytes_per_pixel) +
                      (held > 0 ? " beside a table of " + with_unit(held) : "") + ", but the limit is " +
                      with_unit(budget_) + "; raise it");
  // Nearly cubic pieces have the least rim. The last axis is the longest in files, so it is rounded up.
  const int open = !axes.z * (whole.depth > 1) + !axes.y * (whole.height > 1) + !axes.x * (whole.width > 1);
  const auto side = [&](int left) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::pow(static_cast<double>(most / pixels()),
                                                                        1.0 / std::max(1, left))));
  };
  int left = open;
  const auto extend = [&](std::int64_t& own, std::int64_t all, bool fixed) {
    if (fixed || all == 1) return;
    own = std::min(all, side(left--));
  };
  extend(size.z, whole.depth, axes.z);
  extend(size.y, whole.height, axes.y);
  extend(size.x, whole.width, axes.x);
  // A shorter axis leaves room for the others.
  if (!axes.x) size.x = std::min(whole.width, std::max<std::int64_t>(1, most / (size.z * size.y)));
  if (!axes.y) size.y = std::min(whole.height, std::max<std::int64_t>(1, most / (size.z * size.x)));
  if (!axes.z) size.z = std::min(whole.depth, std::max<std::int64_t>(1, most / (size.y * size.x)));
  // Pieces of nearly one size: the last one is not a sliver.
  const auto even = [](std::int64_t own, std::int64_t all) { return ceil_div(all, ceil_div(all, own)); };
  return {even(size.z, whole.depth), even(size.y, whole.height), even(size.x, whole.width)};
}

void run::over_pieces(const piece_grid& grid, function_ref<void(std::int64_t)> visit) {
  const auto pieces = grid.count();
  if (report.passes == 0) report.piece = {grid.size().z, grid.size().y, grid.size().x};
  memory->release();  // blocks of the last pass have another size
  ++report.passes;
  report.pieces += pieces;
  pass_over_units pass(work, pieces);
  const auto begin = std::chrono::steady_clock::now();
  const auto pixels = static_cast<double>(grid.whole().pixels());
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    work.check_stop();
    visit(piece);
    pass.tell(piece + 1);
    if (!options_.progress) continue;
    const auto share = static_cast<double>(piece + 1) / static_cast<double>(pieces);
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    options_.progress({report.passes, piece + 1, pieces, share * pixels / std::max(seconds, 1e-9),
                       seconds / share - seconds});
  }
}

std::filesystem::path run::handed_over(const std::filesystem::path& file) const {
  if (options_.folder.empty()) return file;
  auto other = file;
  other += ".output";
  std::filesystem::remove(other);  // of a run that was killed
  std::error_code failed;
  std::filesystem::create_hard_link(file, other, failed);
  if (failed) std::filesystem::copy_file(file, other);  // file systems without links
  return other;
}

std::filesystem::path run::scratch_file() {
  namespace fs = std::filesystem;
  if (folder_.empty()) {
    auto pattern = ((options_.scratch.empty() ? fs::temp_directory_path() : options_.scratch) /
                    ".macareu-scratch-XXXXXX")
                       .string();
    if (!::mkdtemp(pattern.data()))  // mode 0700
      throw io_error(pattern.substr(0, pattern.rfind('/')) + ": " + std::strerror(errno));
    folder_ = pattern;
  }
  return folder_ / (std::to_string(scratch_files_++) + ".pixels");
}

}  // namespace pieces
}  // namespace macareu

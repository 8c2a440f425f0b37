#include "engines/pieces/run.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "core/private_folder.hpp"
#include "engines/pieces/files/file_access.hpp"
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

/// Of a journal: the first rank's has no number.
int rank_of(const std::filesystem::path& journal) {
  const auto number = journal.extension().string();
  int rank = 0;
  if (!number.empty()) std::from_chars(number.data() + 1, number.data() + number.size(), rank);
  return rank;
}

/// Pieces stay as they were, so more ranks of a machine may not have the memory for them.
[[noreturn]] void refuse_resuming(std::int64_t before, const char* of_what, std::int64_t share) {
  throw usage_error("each rank of the unfinished run had " + with_unit(before) + of_what + ", but now " +
                    with_unit(share) + " are free for each; use fewer ranks");
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
      ranks_(options.shared_by && options.shared_by->size() > 1 ? options.shared_by : nullptr),
      budget_(budget_of(options)),
      keeps_(!options.name.empty() || !options.folder.empty()) {
  gpu_memory = job.how.gpu_memory;
  if (keeps_) folder_ = options.folder.empty() ? work_folder(options.scratch, options.name) : options.folder;
  try {
    if (keeps_ && is_first_rank()) {
      make_private_folder(folder_);
      if (options.folder.empty()) lock_ = lock_folder(folder_, options_.name);
      prepare_folder();
    }
    if (ranks_) agree(description);
    if (keeps_) open_journal(description);
  } catch (...) {
    if (lock_ >= 0) ::close(lock_);
    throw;
  }
}

bool run::is_first_rank() const { return !ranks_ || ranks_->is_first(); }
int run::rank() const { return ranks_ ? ranks_->rank() : 0; }

void run::agree(const std::string& description) {
  ranks_->require_same("commands, versions or inputs", description);
  // Only the first rank has looked into the folder.
  options_.resume = !ranks_->from_first(options_.resume ? "resumes" : "").empty();
  struct terms {
    std::int64_t budget, parts, gpu_memory, attempt;
  };
  const auto bytes_of = [](const terms& from) {
    return std::string(reinterpret_cast<const char*>(&from), sizeof from);
  };
  const auto terms_in = [](const std::string& bytes) {
    terms to;
    std::memcpy(&to, bytes.data(), sizeof to);
    return to;
  };
  // A limit that the machine gives is shared by its ranks; the least is that of all.
  if (options_.memory == 0 && !options_.resume) budget_ /= ranks_->local_size();
  if (!options_.resume) parts_ = ranks_->size();
  const terms own{budget_, parts_, gpu_memory,
                  std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1)};
  const auto agreed = terms_in(ranks_->exchange(
      bytes_of(own), {[&](const rank_range&, const std::string& first, const std::string& second) {
        auto joined = terms_in(first);
        if (!options_.resume) joined.budget = std::min(joined.budget, terms_in(second).budget);
        return bytes_of(joined);
      }}));
  budget_ = agreed.budget;
  parts_ = agreed.parts;
  gpu_memory = agreed.gpu_memory;
  attempt_ = agreed.attempt;
  if (options_.resume && is_limited()) {
    // What is free changes from run to run, so all of it counts, not only the part that a new run would take.
    const auto share = ranks_->least(free_memory() / ranks_->local_size());
    if (options_.memory == 0 && budget_ > share) refuse_resuming(budget_, " of memory", share);
    if (gpu_memory / 10 * 9 > work.how.gpu_memory)
      refuse_resuming(gpu_memory, " of a GPU", work.how.gpu_memory);
  }
  if (!keeps_) return;
  if (is_first_rank()) write_limit();
  require_shared_folder();
}

void run::require_shared_folder() const {
  if (std::error_code none; !std::filesystem::is_directory(folder_, none))
    throw io_error(folder_.string(),
                   "is not there, but on rank 0 it is; choose a scratch directory that all ranks see");
}

void run::meet() {
  files.wait();
  if (ranks_) ranks_->meet();
}

void run::prepare_folder() {
  const auto list = folder_ / "journal";
  std::error_code none;
  const auto bytes = std::filesystem::file_size(list, none);
  const bool left = !none && bytes > 0;
  if (!options_.folder.empty()) options_.resume = options_.resume && left;
  if (options_.resume && !left) {
    remove_folder();
    throw unresumable_error("there is no unfinished run in " + folder_.string());
  }
  if (!options_.resume) {
    if (left) work.report.note = "an unfinished run in " + folder_.string() + " was removed";
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path() != folder_ / "lock") std::filesystem::remove_all(entry.path());
  }
  // The limits that the machine gave may be others now; pieces must stay as they were.
  if (!options_.resume) return write_limit();
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const auto kind = entry.path().extension();
    if (kind == ".claim" || kind == ".found")
      std::filesystem::remove(entry.path());  // of a pass that ended early
  }
  const auto limit = folder_ / "limit";
  std::array<std::int64_t, 3> terms{};
  read_all(open_work_file(limit, true).get(), terms.data(), sizeof terms, 0, limit);
  // After a loss of power it may hold zeros.
  constexpr std::int64_t most_memory = std::int64_t{1} << 56, most_parts = std::numeric_limits<int>::max();
  if (terms[0] < 1 || (options_.memory == 0 && terms[0] > most_memory) || terms[1] < 1 ||
      terms[1] > most_parts || terms[2] < 0)
    throw io_error(limit.string(), "is damaged; start the run anew");
  if (options_.memory == 0) budget_ = terms[0];
  parts_ = terms[1];
  gpu_memory = terms[2];
}

void run::write_limit() const {
  const auto limit = folder_ / "limit";
  const std::array terms{budget_, parts_, gpu_memory};
  write_all(open_work_file(limit, true).get(), terms.data(), sizeof terms, 0, limit);
}

void run::open_journal(const std::string& description) {
  const auto first = folder_ / "journal";
  auto own = first;
  if (!is_first_rank()) own.replace_extension(std::to_string(rank()));
  // Those of the run that is continued, which may have had more ranks.
  std::vector<std::filesystem::path> others;
  bool continues = false;
  if (options_.resume)
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().stem() != first.stem() || entry.file_size() == 0) continue;
      if (entry.path() == own)
        continues = true;
      else
        others.push_back(entry.path());
    }
  if (ranks_) {
    // What does not count is cut off by one rank, before the others read it: they may be on other machines.
    const auto cut = [&](const std::filesystem::path& file) {
      journal before;
      before.open(file, description, true);
      before.stop();
    };
    if (continues) cut(own);
    if (is_first_rank())
      for (const auto& other : others)
        if (rank_of(other) >= ranks_->size()) cut(other);
    ranks_->meet();
  }
  done.open(own, description, continues, others);
  if (ranks_) ranks_->meet();  // all know the same records before one of them adds some
  if (done.has(is_over, 0)) {
    if (is_first_rank()) remove_folder();
    throw unresumable_error("it ended while its outputs got their names");
  }
}

run::~run() {
  // Writes that wait use the folder, and belong to this run's lock.
  try {
    files.wait();
  } catch (...) {
    // An earlier error ends the run already.
  }
  if (keeps_ && !ended_) done.stop();  // it may be continued on another machine
  const bool is_left = !keeps_ && is_first_rank() && !remove_folder();
  if (lock_ >= 0) ::close(lock_);
  std::error_code in_use;
  if (is_left) std::filesystem::remove(folder_, in_use);  // the lock was open
}

bool run::remove_folder() const { return folder_.empty() || macareu::remove_folder(folder_); }

void run::replace_found(std::filesystem::path file) {
  if (!found_before_.empty()) ::unlink(found_before_.c_str());
  found_before_ = std::move(file);
}

std::int64_t run::share_of_limit() const { return budget_ / tuning::large_share; }

bool run::is_large(std::int64_t bytes) const {
  return is_limited() && !is_shared() && bytes > share_of_limit();
}

void run::require_limit(std::int64_t needed) const {
  if (needed > budget_)
    throw usage_error("memory: this needs " + with_unit(needed) + ", but the limit is " + with_unit(budget_) +
                      "; raise it");
}

box run::pieces_of(const piece_grid& grid, int first, int end) const {
  return share_of_ranks({{0, 0, 0}, grid.counts()}, ranks_ ? ranks_->size() : 1, first, end);
}

box run::own_pieces(const piece_grid& grid) const { return pieces_of(grid, rank(), rank() + 1); }

std::optional<std::int64_t> run::next_piece(const piece_grid& grid, std::int64_t piece) const {
  const auto own = own_pieces(grid);
  auto at = grid.place(piece) + site{0, 0, 1};
  if (at.x == own.end().x) at = {at.z, at.y + 1, own.first.x};
  if (at.y == own.end().y) at = {at.z + 1, own.first.y, at.x};
  return at.z == own.end().z ? std::nullopt : std::optional(grid.number(at));
}

void run::over_pieces(const piece_grid& grid, function_ref<void(std::int64_t)> visit) {
  visit_each(grid, own_pieces(grid), visit);
}

void run::over_all_pieces(const piece_grid& grid, function_ref<void(std::int64_t)> visit) {
  visit_each(grid, {{0, 0, 0}, grid.counts()}, visit);
}

void run::visit_each(const piece_grid& grid, const box& own, function_ref<void(std::int64_t)> visit) {
  const auto pieces = own.pixels();  // of this box they are pieces
  std::int64_t i = 0;
  const auto next = [&] { return i < pieces ? std::optional(grid.number_in(own, i++)) : std::nullopt; };
  over_given_pieces(grid, pieces, next, visit);
}

void run::over_given_pieces(const piece_grid& grid, std::int64_t own,
                            function_ref<std::optional<std::int64_t>()> take,
                            function_ref<void(std::int64_t)> visit) {
  if (report.passes == 0) report.piece = {grid.size().z, grid.size().y, grid.size().x};
  memory->release();  // blocks of the last pass have another size
  ++report.passes;
  pass_over_units pass(work, own);
  const auto begin = std::chrono::steady_clock::now();
  const auto pixels = static_cast<double>(grid.whole().pixels());
  std::int64_t visited = 0;
  while (true) {
    work.check_stop();
    const auto piece = take();
    if (!piece) break;
    visit(*piece);
    ++report.pieces;
    // Pieces of other ranks that follow own ones do not count: nobody knows how many will.
    if (++visited > own) continue;
    pass.tell(visited);
    if (!options_.progress || !is_first_rank()) continue;
    const auto share = static_cast<double>(visited) / static_cast<double>(own);
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    options_.progress(
        {report.passes, visited, own, share * pixels / std::max(seconds, 1e-9), seconds / share - seconds});
  }
  memory->release();  // what follows a pass, such as the graph of all rims, has the memory of its pieces
  if (ranks_) ranks_->end_part();
}

std::filesystem::path run::handed_over(const std::filesystem::path& file) const {
  if (options_.folder.empty()) return file;
  auto other = file;
  other += ".output";
  std::filesystem::remove(other);  // of a run that was killed
  std::error_code failed;
  std::filesystem::create_hard_link(file, other, failed);
  if (failed) {  // file systems without links; later runs know the file by its time
    std::filesystem::copy_file(file, other);
    std::filesystem::last_write_time(other, std::filesystem::last_write_time(file));
  }
  return other;
}

void run::make_scratch_folder() {
  namespace fs = std::filesystem;
  if (!folder_.empty()) return;
  auto pattern =
      ((options_.scratch.empty() ? fs::temp_directory_path() : options_.scratch) / ".macareu-scratch-XXXXXX")
          .string();
  if (is_first_rank() && !::mkdtemp(pattern.data()))  // mode 0700
    throw io_error(pattern.substr(0, pattern.rfind('/')) + ": " + std::strerror(errno));
  folder_ = ranks_ ? ranks_->from_first(pattern) : pattern;
  if (ranks_) require_shared_folder();
}

std::filesystem::path run::scratch_file() {
  make_scratch_folder();
  return folder_ / (std::to_string(scratch_files_++) + ".pixels");
}

std::filesystem::path run::nameless_file() {
  make_scratch_folder();
  return folder_ / "nameless";
}

std::filesystem::path run::name_of_pass() {
  make_scratch_folder();
  return folder_ / (std::to_string(attempt_) + "-" + std::to_string(shared_passes_++) + "-");
}

}  // namespace pieces
}  // namespace macareu

#include "engines/pieces/shared_pass.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "core/ranks/rank_shares.hpp"
#include "engines/pieces/files/file_access.hpp"
#include "engines/pieces/files/rank_files.hpp"
#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {
namespace {

/// Ranks in the order in which this one looks for pieces: those that are far away in the image first. There
/// are few, because each of them costs accesses to a file system that all ranks use.
std::vector<int> ranks_to_help(int rank, int size) {
  std::vector<int> others;
  for (int distance = size / 2; distance > 0; distance /= 2)
    for (const int other : {(rank + distance) % size, (rank - distance + size) % size})
      if (std::ranges::find(others, other) == others.end()) others.push_back(other);
  return others;
}

/// Hands out pieces to this rank: own ones in their order, then those of others from the last one on.
class claimed_pieces {
 public:
  claimed_pieces(run& of, const piece_grid& grid, std::filesystem::path name)
      : run_(of),
        grid_(grid),
        name_(std::move(name)),
        others_(ranks_to_help(of.rank(), of.all_ranks().size())),
        next_own_(0),
        end_own_(groups_of(of.rank())) {}
  /// After all ranks have ended the pass.
  void remove_files() const {
    for (const auto& file : made_) ::unlink(file.c_str());
  }

  std::optional<std::int64_t> take() {
    if (ready_.empty() && !claim_own() && !claim_of_others()) return std::nullopt;
    const auto piece = ready_.front();
    ready_.pop_front();
    return piece;
  }
  /// What take() returns next, unless another rank takes it before.
  std::optional<std::int64_t> next() const {
    if (!ready_.empty()) return ready_.front();
    if (next_own_ == end_own_) return std::nullopt;
    return grid_.number_in(run_.own_pieces(grid_), first_of(run_.rank(), next_own_));
  }

 private:
  /// Pieces of a rank are claimed in groups, so that tiny ones do not need a file each.
  std::int64_t groups_of(int rank) const {
    return std::min(run_.pieces_of(grid_, rank, rank + 1).pixels(), tuning::groups_of_a_rank);
  }
  /// The first piece of a group, among those of the rank.
  std::int64_t first_of(int rank, std::int64_t group) const {
    return run_.pieces_of(grid_, rank, rank + 1).pixels() * group / groups_of(rank);
  }
  bool claim_own() {
    while (next_own_ < end_own_)
      if (claim(run_.rank(), next_own_++)) return true;
    return false;
  }
  bool claim_of_others() {
    for (; helped_ < others_.size(); ++helped_) {
      const auto other = others_[helped_];
      for (auto group = groups_of(other); group-- > 0;)
        if (claim(other, group)) return true;
    }
    return false;
  }
  bool claim(int owner, std::int64_t group) {
    auto file = name_;
    file += std::to_string(owner) + "-" + std::to_string(group) + ".claim";
    const unique_descriptor made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!made.is_open() && errno == EEXIST) return false;
    if (!made.is_open()) throw io_error(file.string(), std::strerror(errno));
    made_.push_back(std::move(file));
    const auto pieces = run_.pieces_of(grid_, owner, owner + 1);
    for (auto i = first_of(owner, group); i < first_of(owner, group + 1); ++i)
      ready_.push_back(grid_.number_in(pieces, i));
    return true;
  }

  run& run_;
  const piece_grid& grid_;
  std::filesystem::path name_;
  std::vector<int> others_;
  std::size_t helped_ = 0;
  std::int64_t next_own_, end_own_;
  std::deque<std::int64_t> ready_;
  std::vector<std::filesystem::path> made_;
};

/// What ranks found in pieces of others.
class found_for_others {
 public:
  found_for_others(run& of, const std::filesystem::path& name) : run_(of), files_(of, name) {}

  void add(std::int64_t piece, const std::string& found) {
    places_.push_back(
        {piece, files_.add(found.data(), found.size()), static_cast<std::int64_t>(found.size())});
  }
  /// take(piece, found) for pieces of `own`, from all ranks. Returns their number.
  std::int64_t exchange(const piece_grid& grid, const box& own,
                        function_ref<void(std::int64_t, const std::string&)> take) {
    const auto told = run_.all_ranks().gather(macareu::bytes_of(places_));
    run_.replace_found(places_.empty() ? std::filesystem::path() : files_.path_of(run_.rank()));
    std::int64_t pieces = 0;
    std::string found;
    for (std::size_t writer = 0; writer < told.size(); ++writer)
      for (const auto& at : macareu::numbers_in<place>(told[writer])) {
        if (!own.contains(grid.place(at.piece))) continue;
        ++pieces;
        found.resize(static_cast<std::size_t>(at.bytes));
        files_.read(static_cast<int>(writer), at.offset, found.data(), found.size());
        take(at.piece, found);
      }
    return pieces;
  }

 private:
  struct place {
    std::int64_t piece, offset, bytes;
  };

  run& run_;
  rank_files files_;
  std::vector<place> places_;
};

}  // namespace

void share_pieces(run& of, const piece_grid& grid,
                  function_ref<void(std::int64_t, std::optional<std::int64_t>, give_found)> visit,
                  function_ref<void(give_found)> rest, give_found take) {
  if (!of.is_shared()) {
    of.over_pieces(grid, [&](std::int64_t piece) { visit(piece, of.next_piece(grid, piece), take); });
    return rest(take);
  }
  const auto name = of.name_of_pass();
  const auto own = of.own_pieces(grid);
  claimed_pieces claimed(of, grid, name);
  found_for_others given(of, name);
  std::int64_t known = 0;
  const auto give = [&](std::int64_t piece, const std::string& found) {
    if (!own.contains(grid.place(piece))) return given.add(piece, found);
    ++known;
    take(piece, found);
  };
  of.over_given_pieces(
      grid, own.pixels(), [&] { return claimed.take(); },
      [&](std::int64_t piece) { visit(piece, claimed.next(), give); });
  rest(give);
  known += given.exchange(grid, own, take);
  claimed.remove_files();
  if (known != own.pixels())
    throw io_error(name.string(),
                   "the file system gave a piece to no rank, or to two; choose another scratch directory");
}

void share_pieces(run& of, const piece_grid& grid,
                  function_ref<std::string(std::int64_t, std::optional<std::int64_t>)> visit,
                  give_found take) {
  share_pieces(
      of, grid,
      [&](std::int64_t piece, std::optional<std::int64_t> next, give_found give) {
        give(piece, visit(piece, next));
      },
      [](give_found) {}, take);
}

void share_pieces(run& of, const piece_grid& grid,
                  function_ref<void(std::int64_t, std::optional<std::int64_t>)> visit) {
  share_pieces(
      of, grid,
      [&](std::int64_t piece, std::optional<std::int64_t> next, give_found give) {
        visit(piece, next);
        give(piece, {});
      },
      [](give_found) {}, [](std::int64_t, const std::string&) {});
}

}  // namespace macareu::pieces

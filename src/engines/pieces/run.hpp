// The state of one run in pieces: memory, files and counters, shared by all images of the run.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <macareu/pieces.hpp>

#include "core/call.hpp"
#include "core/function_ref.hpp"
#include "engines/pieces/block.hpp"
#include "engines/pieces/box.hpp"
#include "engines/pieces/files/journal.hpp"
#include "engines/pieces/files/transfer.hpp"
#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {

/// Axes whose lines a piece contains as a whole.
struct whole_axes {
  bool z = false, y = false, x = false;
  bool any() const { return z || y || x; }
  bool operator==(const whole_axes&) const = default;
};
inline whole_axes operator|(whole_axes a, whole_axes b) { return {a.z || b.z, a.y || b.y, a.x || b.x}; }

/// What a piece depends on beside its own pixels.
struct surroundings {
  window_radius halo{0, 0, 0};  // pixels that are read around it
  site chunk{1, 1, 1};          // boxes that are cheapest to read
  std::int64_t rim_bytes = 0;   // for each pixel on the rims of all pieces, while these are visited
  std::int64_t join_bytes = 0;  // the same while all rims are joined, and no piece is in memory
  std::int64_t of_a_rank = tuning::pieces_of_a_rank;  // at least, where the image is large enough
  // Where rims lie in a file and regions are joined: for each pixel on the rims of two of them, and more for
  // those beside another region.
  std::int64_t region_bytes = 0, open_bytes = 0;
};

class run {
 public:
  /// description: of the run, for the journal. Where options name the run it can be resumed.
  run(job& work, const piece_options& options, const std::string& description);
  ~run();
  /// Nothing is left to resume: work files are removed at the end.
  void forget() { keeps_ = false; }
  /// The run ended: work files are removed, unless the caller has them in a folder of its own.
  void end() {
    ended_ = true;
    keeps_ = !options_.folder.empty();
  }
  /// The file to hand to a sink for a work file: a link, where the folder keeps all of its files.
  std::filesystem::path handed_over(const std::filesystem::path& file) const;

  /// The size of pieces for a pass that needs so many bytes per pixel of a piece. Throws usage_error if no
  /// piece fits the limit; a run that only plans notes what would.
  site piece_size(const frame& whole, std::int64_t bytes_per_pixel, whole_axes axes = {},
                  const surroundings& beside = {}) const;

  /// Whether what is known of rims lies in a work file, for pieces of this size. Regions of pieces are joined
  /// then. Ranks keep it in memory.
  bool spills_rims(const frame& whole, site size, const surroundings& beside) const;

  /// visit(piece) for the pieces of an image that are this rank's. Checks for a stop and reports progress
  /// between them.
  void over_pieces(const piece_grid& grid, function_ref<void(std::int64_t)> visit);
  /// The same for all pieces, on every rank.
  void over_all_pieces(const piece_grid& grid, function_ref<void(std::int64_t)> visit);
  /// The same for those that `take` returns, until it returns none. own: how many are this rank's.
  void over_given_pieces(const piece_grid& grid, std::int64_t own,
                         function_ref<std::optional<std::int64_t>()> take,
                         function_ref<void(std::int64_t)> visit);
  /// The piece that over_pieces() visits after this one.
  std::optional<std::int64_t> next_piece(const piece_grid& grid, std::int64_t piece) const;

  /// Whether several ranks share the run.
  bool is_shared() const { return ranks_ != nullptr; }
  bool is_first_rank() const;
  int rank() const;
  macareu::ranks& all_ranks() const { return *ranks_; }
  /// The pieces of ranks first .. end - 1, a range of their tree, as a box among the pieces.
  box pieces_of(const piece_grid& grid, int first, int end) const;
  box own_pieces(const piece_grid& grid) const;
  /// Returns when this rank, and all others, have written what they were asked to.
  void meet();

  /// The path of the next work file. Its number is the same in a run that resumes this one.
  std::filesystem::path scratch_file();
  /// Where a file is made that has no name as soon as it is open: not all runs of an image need one.
  std::filesystem::path nameless_file();
  /// The begin of names of files that ranks share in one pass. A run that resumes this one has others.
  std::filesystem::path name_of_pass();
  /// For a file that others read in this pass: that of the pass before has been read by all.
  void replace_found(std::filesystem::path file);
  /// Files that outlive their images, because a resumed run needs them.
  bool keeps_files() const { return keeps_; }
  bool resumes() const { return options_.resume; }
  /// Likewise of a run that ended.
  bool keeps_outputs() const { return !options_.folder.empty(); }
  static constexpr std::int64_t is_over = -1;  // a record: nothing is left to resume
  /// The next number for records of the journal; the same in a run that resumes this one.
  std::int64_t next_record() { return ++records_; }

  /// Whether the run that this one resumes has finished a piece; the report counts it.
  bool found(std::int64_t record, std::int64_t piece) {
    const bool is_done = done.has(record, piece);
    report.found += is_done;
    return is_done;
  }

  job& work;
  context quiet_how;    // without progress: pieces are counted instead
  job quiet;            // of the engine inside
  piece_report report;  // all but the bytes
  std::atomic<std::int64_t> bytes_read = 0, bytes_written = 0, scratch_read = 0, scratch_written = 0;
  std::int64_t held = 0;  // bytes of results beside the blocks, such as rows of a table
  /// Checks of inputs that are made while they are read, in the order in which the operator asked for them.
  std::vector<std::function<void()>> deferred_checks;
  std::int64_t gpu_memory = 0;  // bytes for pieces on a GPU; 0: they are not there
  std::shared_ptr<block_memory> memory = std::make_shared<block_memory>();
  journal done;
  file_thread files;   // writes, and reads of what was written
  file_thread inputs;  // reads inputs meanwhile

 private:
  /// Removes an unfinished run, or finds the limit of the one that is continued.
  void prepare_folder();
  /// Begins a new journal, or continues that of an unfinished run.
  void open_journal(const std::string& description);
  /// All ranks cut the image alike, in a folder that all see.
  void agree(const std::string& description);
  void require_shared_folder() const;
  void write_limit() const;
  void visit_each(const piece_grid& grid, const box& pieces, function_ref<void(std::int64_t)> visit);
  bool remove_folder() const;
  /// A folder for work files, where the run has none yet.
  void make_scratch_folder();

  piece_options options_;
  ranks* ranks_;
  std::int64_t budget_;
  std::int64_t parts_ = 1;  // the ranks for which pieces are cut: those of the run that is continued
  std::filesystem::path folder_;
  [[no_unique_address]] no_free_list within_limit_;
  int lock_ = -1;
  bool keeps_ = false, ended_ = false;
  int scratch_files_ = 0;
  std::filesystem::path found_before_;
  std::int64_t records_ = 0, shared_passes_ = 0;
  std::int64_t attempt_ = 0;  // other runs in the folder have others

 public:
  /// A run that only plans reads and writes nothing. Its operator goes through all passes without pixels,
  /// and `least` is the smallest limit that they fit.
  bool plans = false;
  bool planned_answer = false;   // to questions about pixels, and whether some are 1; plans are made for both
  bool plans_for_ranks = false;  // which have their own rows beside those of all
  /// Whether each rank has the rows of its share of the objects in the table.
  bool shares_rows = false;
  mutable std::int64_t least = 0;
  int shares = 0;  // of the limit, for results whose size is not known before
  /// Whether the size of pieces follows from a limit.
  bool is_limited() const { return options_.size == std::array<std::int64_t, 3>{}; }
  std::int64_t share_of_limit() const;
  /// Whether results of so many bytes are a large share of the limit. They are kept in a file then.
  bool is_large(std::int64_t bytes) const;
  /// Throws usage_error if the limit is below `needed`.
  void require_limit(std::int64_t needed) const;
};

}  // namespace macareu::pieces

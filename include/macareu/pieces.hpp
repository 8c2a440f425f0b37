// Images larger than memory: an operator reads its inputs piece by piece, and writes its outputs piece by
// piece. The results are those of the whole image, bit for bit, whatever the pieces.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include <macareu/catalogue.hpp>
#include <macareu/context.hpp>
#include <macareu/error.hpp>
#include <macareu/sources.hpp>

namespace macareu {

class ranks;

/// What a run in pieces did.
struct piece_report {
  std::array<std::int64_t, 3> piece{};  ///< largest piece of the first pass: slices, rows, columns
  std::int64_t passes = 0;              ///< over an image, piece by piece
  std::int64_t pieces = 0;              ///< visited in all passes
  std::int64_t bytes_read = 0;          ///< of inputs
  std::int64_t bytes_written = 0;       ///< of outputs
  std::int64_t scratch_read = 0, scratch_written = 0;
  std::int64_t solved_again = 0;  ///< waves: pieces computed a second time; basins: visits after the first
  std::int64_t found = 0;         ///< pieces, of all passes, that a run which ended early had finished
};

/// How far a pass over an image is.
struct piece_progress {
  std::int64_t pass = 0;  ///< 1 for the first; how many there will be is not known
  std::int64_t done = 0, pieces = 0;
  double pixels_per_second = 0;
  double seconds_left = 0;  ///< of this pass
};

struct piece_options {
  std::int64_t memory = 0;             ///< bytes of host memory for pixels; 0: 70 % of what is free
  std::array<std::int64_t, 3> size{};  ///< of a piece: slices, rows, columns; 0: from `memory`
  std::filesystem::path scratch = {};  ///< directory of work files; empty: the system's temporary one
  std::string name = {};               ///< of the run: work files of one that ends early are kept under it
  std::filesystem::path folder = {};  ///< instead of `name`: a private folder that keeps all work files, also
                                      ///< of a run that ended; the caller removes it. Chunks of a Zarr
                                      ///< output may be links to them: change these afterwards
  bool resume = false;                ///< continue the run of that name, or in that folder if one began
  /// Of a table that processes share: each gets some of the rows, those of the first process first. Otherwise
  /// each gets all of them.
  bool own_rows = false;
  /// The processes that share the run (ranks.hpp); null: this one alone. All of them make the call, with
  /// equal sources, sinks and options. Folders and outputs lie in a file system that all see. `memory` is
  /// that of one process; the first one reports progress, adopts files into sinks, and commits them. Sinks
  /// without header() tell it by was_written() what others wrote.
  ranks* shared_by = nullptr;
  piece_report* report = nullptr;
  std::function<void(const piece_progress&)> progress = {};  ///< called after each piece, from one thread
};

/// The unfinished run is not there, was another one, or lost files. message() is the reason.
class unresumable_error : public usage_error {
 public:
  explicit unresumable_error(const std::string& reason) : usage_error("the run cannot be resumed", reason) {}
};

/// 70 % of what the machine and the cgroup leave free.
std::int64_t default_memory();

/// Runs an operator on images in pieces. A null output is not wanted. The caller commits the sinks. Throws
/// usage_error where an operator has no exact form in pieces, or the memory is too small.
void run_in_pieces(const operator_description& about, std::span<image_source* const> inputs,
                   std::span<image_sink* const> outputs, const arguments& given, const context& how = {},
                   const piece_options& options = {});

/// The same for operators that give a table.
table compute_table_in_pieces(const operator_description& about, std::span<image_source* const> inputs,
                              const arguments& given, const context& how = {},
                              const piece_options& options = {});

/// The same for tables that may not fit the memory: `take` gets some rows at a time, in their order, with all
/// columns. It is called once at least, on the thread of the call.
using take_table = std::function<void(const table& rows)>;
void compute_table_in_parts(const operator_description& about, std::span<image_source* const> inputs,
                            const take_table& take, const arguments& given, const context& how = {},
                            const piece_options& options = {});

/// The form of an output for inputs of these forms.
source_form output_form(const operator_description& about, std::size_t output,
                        std::span<image_source* const> inputs, const arguments& given);

}  // namespace macareu

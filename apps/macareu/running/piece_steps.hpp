// A command in pieces: its steps, and what --resume continues of them.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/pieces.hpp>

#include "running/run_options.hpp"
#include "running/work_folder.hpp"

namespace macareu::tool {

struct piece_steps {
  std::filesystem::path folder;  ///< of work files
  piece_options options;
  bool resumable = false;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();

  /// Whether outputs are made durable: not those of a run that is soon repeated. All ranks call it when they
  /// have written: what those of other machines wrote is durable then.
  bool made_durable() const;

  /// The options of one step. Its work files have a folder of their own, which keeps them until all steps
  /// are done: a step that ended is repeated from them without computing.
  piece_options of(const std::string& step) const;

 private:
  bool took_long() const;
};

/// Bytes of host memory to use: those that are given, or the default.
std::int64_t host_limit_of(const piece_options& options);
/// Whether inputs of these sizes on disk may exceed the limit, or pieces are asked for.
bool may_need_pieces(const run_options& running, const std::vector<std::string>& inputs,
                     bool describes_objects);
std::int64_t bytes_in_memory(const source_form& form);
/// What tables and selections of objects may take in memory: nobody knows how many objects there will be, but
/// a limit that is given must hold.
std::int64_t bytes_of_objects(const run_options& running, const extents& shape);
/// Whether images of so many bytes exceed the limit, which is told, or pieces are asked for.
bool needs_pieces(std::string_view verb, const run_options& running, const extents& shape,
                  std::int64_t bytes);

std::optional<image_form> form_of(const image_source* source);
std::optional<image_form> form_of(const std::optional<image>& pixels);

/// The directory of work files: --scratch, or that of the first file that is written.
std::filesystem::path scratch_directory(const run_options& running, const std::vector<std::string>& written);

/// Runs `steps`, which makes these files. After a signal, an error of files or a kill, --resume continues.
void run_resumable(std::string_view verb, const run_options& running, const std::vector<std::string>& written,
                   const std::function<work_folder::description()>& describe,
                   const std::function<void(piece_steps)>& steps);

/// Writes all pixels of a source, in boxes that the sink takes.
void copy_pixels(image_source& from, image_sink& to, const context& how);
/// The same on all ranks: each writes some of the boxes, if the output has a file for each chunk. The first
/// one commits.
void copy_pixels_by_ranks(image_source& from, image_sink& to, const context& how);

/// A line for an input. Throws usage_error if a resumed run could not compare it.
std::string describe_input(std::string_view name, const image_source& source, bool resume);

}  // namespace macareu::tool

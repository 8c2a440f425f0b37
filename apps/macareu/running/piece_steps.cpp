#include "running/piece_steps.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <limits>

#include <macareu/error.hpp>
#include <macareu/files.hpp>

#include "command/forked_ranks.hpp"
#include "command/shared_ranks.hpp"
#include "command/text.hpp"
#include "core/ceil_div.hpp"
#include "core/ranks/rank_shares.hpp"
#include "files/format.hpp"
#include "files/rename_list.hpp"
#include "running/memory_limits.hpp"
#include "tuning.hpp"

namespace macareu::tool {

namespace fs = std::filesystem;

namespace {

std::int64_t bytes_on_disk(const std::string& file) {
  std::error_code error;
  if (fs::is_directory(file, error))
    return std::numeric_limits<std::int64_t>::max() / (8 * tuning::largest_expansion);
  const auto bytes = fs::file_size(file, error);
  return error ? 0 : static_cast<std::int64_t>(bytes);
}

std::string mebibytes(std::int64_t bytes) {
  return std::to_string((bytes >> 20) + (bytes % (1 << 20) != 0)) + " MiB";
}

/// What is repeated stays in memory; a GPU may have too little of it.
memory_limit limit_of(const run_options& running) {
  const auto host = host_limit_of(running.pieces);
  return running.repeat > 1 ? least_limit(host, host) : least_limit(host, gpu_limit_of(running.how));
}

bool asks_for_pieces(const piece_options& options) {
  return options.size != std::array<std::int64_t, 3>{} || options.resume || options.shared_by;
}

}  // namespace

std::int64_t host_limit_of(const piece_options& options) {
  return options.memory > 0 ? options.memory : default_memory();
}

bool may_need_pieces(const run_options& running, const std::vector<std::string>& inputs,
                     bool describes_objects) {
  std::int64_t on_disk = 0;
  for (const auto& file : inputs) on_disk += bytes_on_disk(file);
  auto most = on_disk * tuning::largest_expansion;
  if (describes_objects && running.pieces.memory > 0) most *= 1 + tuning::object_bytes_per_pixel;
  return asks_for_pieces(running.pieces) || most >= limit_of(running).bytes;
}

std::int64_t bytes_in_memory(const source_form& form) {
  return form.shape.pixels() * form.channels * static_cast<std::int64_t>(size_of(form.type));
}

std::int64_t bytes_of_objects(const run_options& running, const extents& shape) {
  return running.pieces.memory > 0 ? shape.pixels() * tuning::object_bytes_per_pixel : 0;
}

bool needs_pieces(std::string_view verb, const run_options& running, const extents& shape,
                  std::int64_t bytes) {
  if (asks_for_pieces(running.pieces)) return true;
  const auto needed = bytes + shape.pixels() * tuning::engine_bytes_per_pixel;
  const auto [limit, place] = limit_of(running);
  if (needed <= limit) return false;
  if (!running.quiet)
    std::fprintf(stderr, "%s: %s this takes %s, and the limit is %s: computing in pieces\n",
                 std::string(verb).c_str(), place, mebibytes(needed).c_str(), mebibytes(limit).c_str());
  return true;
}

std::optional<image_form> form_of(const image_source* source) {
  if (!source) return std::nullopt;
  return image_form{source->form().type, source->form().shape, source->form().channels};
}
std::optional<image_form> form_of(const std::optional<image>& pixels) {
  if (!pixels) return std::nullopt;
  return image_form{pixels->type(), pixels->shape(), pixels->channels()};
}

bool piece_steps::took_long() const {
  return options.resume || std::chrono::steady_clock::now() - begun > tuning::long_run;
}

bool piece_steps::made_durable() const {
  auto* const all = shared_ranks();
  if (!all) return took_long();
  const bool durable = !all->from_first(took_long() ? "durable" : "").empty();
  // The first rank syncs what it renames.
  if (durable && !is_first_rank()) files::sync_file_system(folder);
  all->meet();
  return durable;
}

piece_options piece_steps::of(const std::string& step) const {
  auto own = options;
  own.scratch = folder;
  own.resume = resumable && options.resume;
  if (resumable) own.folder = folder / step;
  return own;
}

namespace {

/// The first output that is a file: work files do not lie beside pipes, and what went into one is not kept.
const std::string* first_file(const std::vector<std::string>& written) {
  const auto found = std::ranges::find_if_not(
      written, [](const std::string& file) { return files::is_stream_destination(file); });
  return found == written.end() ? nullptr : &*found;
}

}  // namespace

fs::path scratch_directory(const run_options& running, const std::vector<std::string>& written) {
  if (!running.pieces.scratch.empty()) {
    std::error_code error;
    if (!fs::is_directory(running.pieces.scratch, error))
      throw io_error("--scratch: there is no directory " + running.pieces.scratch.string());
    return running.pieces.scratch;
  }
  const auto* const file = first_file(written);
  if (!file) return fs::temp_directory_path();
  const auto parent = fs::path(*file).parent_path();
  return parent.empty() ? "." : parent;
}

namespace {

/// An error of a file, with what continues the run.
class continued_by_option : public io_error {
 public:
  explicit continued_by_option(const unfinished_error& cause) : io_error(cause, ", and --resume continues") {}
};

void run_into_stream(const run_options& running, const fs::path& scratch, const std::string& stream,
                     const std::function<void(piece_steps)>& steps) {
  auto process = std::to_string(::getpid());
  if (shared_ranks()) process = shared_ranks()->from_first(process);
  work_folder folder(scratch / (".macareu-stream-" + process + ".pieces"));
  on_first_rank([&] { folder.create(stream); });
  steps({folder.path(), running.pieces});
  if (shared_ranks()) shared_ranks()->meet();  // none of them uses the folder now
}

}  // namespace

void run_resumable(std::string_view verb, const run_options& running, const std::vector<std::string>& written,
                   const std::function<work_folder::description()>& describe,
                   const std::function<void(piece_steps)>& steps) {
  const auto scratch = scratch_directory(running, written);
  const auto* const file = first_file(written);
  if (!file) {
    if (running.pieces.resume) throw usage_error("--resume: without an output file nothing was kept");
    if (written.empty()) return steps({scratch, running.pieces});
    return run_into_stream(running, scratch, written[0], steps);
  }
  const auto name = fs::path(*file).filename().string();
  // Outputs of several folders may share a scratch directory.
  const auto of_output =
      running.pieces.scratch.empty() ? "" : "-" + std::to_string(fs::hash_value(fs::absolute(*file)));
  work_folder folder(scratch / (".macareu-" + name + of_output + ".pieces"));
  const auto about = describe();
  if (shared_ranks()) shared_ranks()->require_same("commands, versions or inputs", about.run + about.inputs);
  bool ended = false;
  on_first_rank([&] {
    if (running.pieces.resume) {
      folder.resume(name, about);
      ended = output_files::finish_commit(folder.path());
      return;
    }
    folder.begin(name, about, [&](const std::string& ended_by) {
      if (!running.quiet)
        std::fprintf(stderr, "macareu: %s: removing the unfinished run in %s (%s); --resume continues one\n",
                     std::string(verb).c_str(), folder.path().c_str(),
                     ended_by.empty() ? "it was killed, or its machine stopped" : ended_by.c_str());
    });
  });
  if (shared_ranks()) ended = !shared_ranks()->from_first(ended ? "ended" : "").empty();
  if (ended) return folder.forget();
  const resumable_section kept;
  try {
    steps({folder.path(), running.pieces, true});
    if (shared_ranks()) shared_ranks()->meet();  // none of them uses the folder now
  } catch (const interrupted&) {
    folder.note_end("it was interrupted");
    if (!running.quiet)
      std::fprintf(stderr, "%s: what is done is kept; this continues: %s\n", std::string(verb).c_str(),
                   running.continued_by.c_str());
    throw;
  } catch (const unfinished_error& error) {
    folder.note_end(one_line(error.cause()));
    throw continued_by_option(error);
  } catch (const unresumable_error& error) {
    folder.note_end(one_line(error.what()));
    throw usage_error("--resume: " + error.message() + "; start again without --resume");
  } catch (const std::exception& error) {
    folder.note_end(one_line(error.what()));
    const bool is_refused = dynamic_cast<const usage_error*>(&error) != nullptr;
    if (is_refused && !running.pieces.resume) folder.forget();  // it would be refused again
    throw;
  }
  folder.forget();
}

namespace {

/// The pixels of an image in boxes that a sink takes, of a few MiB.
class boxes_of_sink {
 public:
  boxes_of_sink(const source_form& form, const image_sink& to)
      : whole_{form.shape.depth(), form.shape.height(), form.shape.width()}, size_(to.chunk()) {
    const auto pixel = form.channels * static_cast<std::int64_t>(size_of(form.type));
    const bool whole_rows = size_[2] == 0;
    for (auto& side : size_) side = std::max<std::int64_t>(side, 1);
    if (whole_rows) size_[2] = whole_[2];
    // As many chunks as fit, along rows first.
    for (const std::size_t axis : {2u, 1u}) {
      const auto bytes = std::max<std::int64_t>(size_[0] * size_[1] * size_[2] * pixel, 1);
      size_[axis] =
          std::min(whole_[axis], size_[axis] * std::max<std::int64_t>(tuning::copied_bytes / bytes, 1));
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      counts_[axis] = whole_[axis] == 0 ? 0 : ceil_div(whole_[axis], size_[axis]);
  }

  std::int64_t count() const { return counts_[0] * counts_[1] * counts_[2]; }
  /// In raster order.
  image_region operator[](std::int64_t i) const {
    image_region box{{i / counts_[2] / counts_[1] * size_[0], i / counts_[2] % counts_[1] * size_[1],
                      i % counts_[2] * size_[2]},
                     {}};
    for (std::size_t axis = 0; axis < 3; ++axis)
      box.size[axis] = std::min(size_[axis], whole_[axis] - box.first[axis]);
    return box;
  }

 private:
  std::array<std::int64_t, 3> whole_, size_, counts_{};
};

void copy_boxes(image_source& from, image_sink& to, const boxes_of_sink& boxes, const rank_share& share,
                const context& how) {
  const auto pixel = static_cast<std::size_t>(from.form().channels) * size_of(from.form().type);
  std::vector<std::byte> pixels;
  for (auto i = share.first; i < share.end; ++i) {
    if (how.stop.stop_requested()) throw interrupted();
    const auto box = boxes[i];
    pixels.resize(static_cast<std::size_t>(box.pixels()) * pixel);
    from.read(box, pixels.data());
    to.write(box, pixels.data());
  }
}

}  // namespace

void copy_pixels(image_source& from, image_sink& to, const context& how) {
  const boxes_of_sink boxes(from.form(), to);
  copy_boxes(from, to, boxes, {0, boxes.count()}, how);
}

void copy_pixels_by_ranks(image_source& from, image_sink& to, const context& how) {
  if (link_work_image(from, to, shared_ranks(), how)) return on_first_rank([&] { to.commit(); });
  if (!shared_ranks() || to.in_order() || to.header())
    return on_first_rank([&] {
      copy_pixels(from, to, how);
      to.commit();
    });
  const boxes_of_sink boxes(from.form(), to);
  const auto own = share_of(shared_ranks(), boxes.count());
  copy_boxes(from, to, boxes, own, how);
  shared_ranks()->meet();
  on_first_rank([&] {
    for (auto i = own.end; i < boxes.count(); ++i)
      if (!to.was_written(boxes[i])) throw no_pixels_of_others();
    to.commit();
  });
}

std::string describe_input(std::string_view name, const image_source& source, bool resume) {
  const auto& form = source.form();
  const auto identity = source.identity();
  if (resume && identity.empty())
    throw usage_error("--resume: " + std::string(name) +
                      " cannot be compared with that of the unfinished run, as it is a pipe or has no "
                      "identity; start again without --resume");
  if (shared_ranks() && identity.empty())
    throw usage_error(std::string(name) + " is a pipe or has no identity, so ranks cannot share it");
  return "input " + std::string(name) + ": " + std::string(name_of(form.type)) + " of " +
         to_string(form.shape) + ", " + identity + "\n";
}

}  // namespace macareu::tool

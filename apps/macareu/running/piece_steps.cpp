#include "running/piece_steps.hpp"

#include <cstdio>

#include <macareu/error.hpp>
#include <macareu/files.hpp>

namespace macareu::tool {

namespace fs = std::filesystem;

piece_options piece_steps::of(const std::string& step) const {
  auto own = options;
  own.scratch = folder;
  own.resume = resumable && options.resume;
  if (resumable) own.folder = folder / step;
  return own;
}

fs::path scratch_directory(const run_options& running, const std::vector<std::string>& written) {
  if (!running.pieces.scratch.empty()) {
    std::error_code error;
    if (!fs::is_directory(running.pieces.scratch, error))
      throw io_error("--scratch: there is no directory " + running.pieces.scratch.string());
    return running.pieces.scratch;
  }
  if (written.empty()) return fs::temp_directory_path();
  const auto parent = fs::path(written[0]).parent_path();
  return parent.empty() ? "." : parent;
}

void run_resumable(std::string_view verb, const run_options& running, const std::vector<std::string>& written,
                   const std::function<work_folder::description()>& describe,
                   const std::function<void(piece_steps)>& steps) {
  const auto scratch = scratch_directory(running, written);
  if (written.empty()) {
    if (running.pieces.resume) throw usage_error("--resume: without an output file nothing was kept");
    return steps({scratch, running.pieces});
  }
  const auto name = fs::path(written[0]).filename().string();
  work_folder folder(scratch / (".macareu-" + name + ".pieces"));
  if (running.pieces.resume) {
    folder.resume(name, describe());
    if (output_files::finish_commit(folder.path())) return folder.forget();
  } else {
    folder.begin(name, describe());
    if (folder.has_replaced() && !running.quiet)
      std::fprintf(stderr, "macareu: %s: an unfinished run in %s was removed; --resume continues one\n",
                   std::string(verb).c_str(), folder.path().c_str());
  }
  try {
    steps({folder.path(), running.pieces, true});
  } catch (const interrupted&) {
    if (!running.quiet)
      std::fprintf(stderr, "%s: what is done is kept; the same command with --resume continues\n",
                   std::string(verb).c_str());
    throw;
  } catch (const usage_error&) {
    folder.forget();  // it would be refused again
    throw;
  }
  folder.forget();
}

std::string describe_input(std::string_view name, const image_source& source, bool resume) {
  const auto& form = source.form();
  const auto identity = source.identity();
  if (resume && identity.empty())
    throw usage_error("--resume: " + std::string(name) +
                      " cannot be compared with that of the unfinished run, as it is a pipe or has no "
                      "identity; start again without --resume");
  return "input: " + std::string(name_of(form.type)) + " of " + to_string(form.shape) + ", " + identity +
         "\n";
}

}  // namespace macareu::tool

#include "nuclei/batch.hpp"

#ifdef __linux__
#include <malloc.h>
#endif

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/files.hpp>
#include <macareu/pieces.hpp>
#include <macareu/text_file.hpp>

#include "catalogue/gpu_memory_of_rank.hpp"
#include "command/outputs.hpp"
#include "command/program.hpp"
#include "command/shared_ranks.hpp"
#include "command/text.hpp"
#include "command/verb.hpp"
#include "nuclei/slide_run.hpp"
#include "running/work_folder.hpp"
#include "tuning.hpp"

namespace macareu::tool {
namespace {

namespace fs = std::filesystem;

/// A directory that is removed again if nothing comes into it.
class output_directory {
 public:
  explicit output_directory(const fs::path& path) : path_(path) {
    std::error_code error;
    if (fs::is_directory(path_, error)) return;
    made_ = fs::create_directories(path_, error);
    if (error) throw io_error(path_.string(), error.message());
  }
  ~output_directory() {
    std::error_code not_empty;
    if (made_) fs::remove(path_, not_empty);
  }
  output_directory(const output_directory&) = delete;
  output_directory& operator=(const output_directory&) = delete;

 private:
  fs::path path_;
  bool made_ = false;
};

struct slide_target {
  std::string file, name;
  fs::path directory;
};

fs::path without_slash(const std::string& file) {  // slide.zarr/
  const fs::path path(file);
  return path.has_filename() ? path : path.parent_path();
}

std::string name_of(const std::string& file) {
  auto name = without_slash(file).stem().string();
  if (name.ends_with(".ome")) name.resize(name.size() - 4);
  return name;
}

/// Slides of one name in several folders are named after these, too.
std::vector<slide_target> targets_of(const nuclei_settings& settings) {
  std::vector<std::string> names;
  for (const auto& file : settings.slides) names.push_back(name_of(file));
  const auto own = names;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (std::ranges::count(own, own[i]) > 1) {
      const auto folder = fs::absolute(without_slash(settings.slides[i]))
                              .lexically_normal()
                              .parent_path()
                              .filename()
                              .string();
      names[i] = folder + "-" + own[i];
    }
  std::vector<slide_target> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& file = settings.slides[i];
    for (const auto& other : all)
      if (other.name == names[i])
        throw usage_error(other.file + " and " + file + " would both be written to " + names[i] +
                          ": analyse them one after another");
    const auto directory =
        names.size() > 1 ? fs::path(settings.output) / names[i] : fs::path(settings.output);
    all.push_back({file, names[i], directory});
  }
  return all;
}

/// Files appear together: the summary, which says that a slide is finished, goes first and comes last. Other
/// outputs of an earlier run go before it, so that no summary is ever beside outputs of other parameters.
void publish(const nuclei_settings& settings, const fs::path& from, const fs::path& to) {
  const auto files = slide_file::all(settings);
  if (slide_file::is_summary(to / slide_file::summary))
    for (const auto& [name, wanted] : files)
      if (!wanted) fs::remove_all(to / name);
  fs::remove(to / slide_file::summary);
  for (const auto& [name, wanted] : files) {
    if (!wanted) continue;
    if (fs::is_directory(to / name)) fs::remove_all(to / name);
    fs::rename(from / name, to / name);
  }
}

/// Ranks share the slide if the settings say so. Files are the first one's.
void analyse(const nuclei_settings& settings, const slide_target& target, interruption& signals) {
  auto* const all = settings.running.pieces.shared_by;
  const bool has_files = !all || all->is_first();
  std::optional<output_directory> made;
  work_folder work(target.directory / ".macareu-nuclei");
  const auto tell = [&](const std::string& text) {
    if (!settings.running.quiet) std::cout << target.file << ": " << text << std::endl;
  };
  const auto run = [&] {
    if (has_files) {
      made.emplace(target.directory);
      slide_file::check_folders(target.directory, settings);
      work.create(target.directory.string());
    }
    if (all) all->meet();
    slide_run slide(settings, target.file, work.path(), signals);
    bool finished = settings.resume && has_files && slide.is_finished(target.directory);
    if (all) {
      all->require_same("inputs", slide.identity());
      finished = !all->from_first(finished ? "finished" : "").empty();
    }
    if (finished) return tell("finished before");
    slide.run();
    if (!has_files) return;
    signals.check();
    publish(settings, work.path(), target.directory);
    tell(std::to_string(slide.count()) + " nuclei");
  };
  try {
    run();
  } catch (...) {
    // Before the folder is removed that the others use.
    if (all) all->fail(std::current_exception());
    throw;
  }
}

/// Runs `work`. Errors are about the file.
template <class Work>
void naming(const std::string& file, const Work& work) {
  const auto is_named = [&](const error& e) { return e.about() == file; };
  try {
    work();
  } catch (const usage_error& e) {
    if (is_named(e)) throw;
    throw usage_error(file, e.what());
  } catch (const io_error& e) {
    if (is_named(e)) throw;
    throw io_error(file, e.what());
  } catch (const device_error& e) {
    if (is_named(e)) throw;
    throw device_error(file, e.what());
  } catch (const fs::filesystem_error& e) {
    throw io_error(file, e.what());
  } catch (const std::bad_alloc&) {
    throw device_error(file, "not enough memory");
  }
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

/// One table of all slides, from their own.
void write_all(const nuclei_settings& settings, const std::vector<slide_target>& slides) {
  text_file out(fs::path(settings.output) / "all.csv.gz", settings.threads());
  bool first = true;
  for (const auto& slide : slides) {
    std::string before = "slide,", line;
    bool head = true;
    read_text(slide.directory / slide_file::table, [&](std::string_view part) {
      std::string lines;
      for (const char c : part) {
        line += c;
        if (c != '\n') continue;
        if (!head || first) lines += before + line;
        if (head) before = csv_field(slide.name) + ",";
        head = false;
        line.clear();
      }
      out.write(lines);
    });
    first = false;
  }
  out.commit();
}

/// Ranks share one slide. Of several, each belongs to one rank.
void share_slides(nuclei_settings& settings, ranks& all) {
  auto& pieces = settings.running.pieces;
  auto& how = settings.running.how;
  if (pieces.memory == 0) pieces.memory = all.least(default_memory() / all.local_size());
  if (settings.slides.size() == 1) return;
  pieces.shared_by = nullptr;
  // Steps that ranks share divide the memory of GPUs themselves.
  if (how.gpu_memory == 0) how.gpu_memory = gpu_memory_of_rank(all, how);
}

/// For each slide the code of the rank that has it.
std::vector<int> codes_of_ranks(ranks& all, const std::vector<int>& own) {
  const auto every = all.gather({reinterpret_cast<const char*>(own.data()), own.size() * sizeof(int)});
  std::vector<int> codes(own.size());
  for (std::size_t i = 0; i < codes.size(); ++i)
    every[i % every.size()].copy(reinterpret_cast<char*>(&codes[i]), sizeof(int), i * sizeof(int));
  return codes;
}

/// What the allocator keeps after it is freed counts against a limit of memory: memory that is large beside
/// the limit goes back at once. Other memory is kept, because page faults take time.
void return_large_memory([[maybe_unused]] std::int64_t limit) {
#ifdef __GLIBC__
  const int large =
      static_cast<int>(std::clamp(limit / tuning::large_share, tuning::least_large, tuning::most_large));
  ::mallopt(M_MMAP_THRESHOLD, large);
  ::mallopt(M_TRIM_THRESHOLD, large);
#endif
}

}  // namespace

int run_slides(nuclei_settings& settings, interruption& signals) {
  auto* const all = shared_ranks();
  settings.running.begin(signals);
  if (all) share_slides(settings, *all);
  settings.check();
  if (settings.running.pieces.memory > 0) return_large_memory(settings.running.pieces.memory);
  if (settings.writes("labels") && !settings.zarr_labels) check_writable(slide_file::labels_tiff);
  if (settings.writes("pictures")) check_writable(slide_file::overview);
  if (settings.output.empty()) throw usage_error("--output: expected a directory, got ''");
  const auto slides = targets_of(settings);
  auto inputs = settings.slides;
  inputs.push_back(settings.region_file);
  for (const auto& slide : slides) {
    std::vector<std::string> files;
    for (const auto& file : slide_file::all(settings))
      files.push_back((slide.directory / file.name).string());
    check_no_input(files, inputs);
  }
  const interruption::careful_section careful(signals);
  if (slides.size() == 1) {
    naming(slides[0].file, [&] { analyse(settings, slides[0], signals); });
    return exit_code::done;
  }
  const output_directory made(settings.output);
  constexpr int not_tried = -1;
  std::vector<int> codes(slides.size(), not_tried);
  const auto ranks = static_cast<std::size_t>(all ? all->size() : 1);
  for (auto i = static_cast<std::size_t>(all ? all->rank() : 0); i < slides.size(); i += ranks) {
    codes[i] = guarded("nuclei", [&] {
      naming(slides[i].file, [&] { analyse(settings, slides[i], signals); });
      return exit_code::done;
    });
    if (codes[i] == exit_code::interrupted) break;
  }
  if (all) codes = codes_of_ranks(*all, codes);
  if (std::ranges::find(codes, exit_code::interrupted) != codes.end()) {
    if (!settings.running.quiet)
      std::cerr << "nuclei: finished slides are kept; this continues: " << settings.running.continued_by
                << std::endl;
    return exit_code::interrupted;
  }
  std::vector<slide_target> finished;
  for (std::size_t i = 0; i < slides.size(); ++i)
    if (codes[i] == exit_code::done) finished.push_back(slides[i]);
  if (!finished.empty() && settings.writes("table") && is_first_rank()) write_all(settings, finished);
  const auto failed = std::ranges::find_if(codes, [](int code) { return code != exit_code::done; });
  return failed == codes.end() ? exit_code::done : *failed;
}

}  // namespace macareu::tool

#include "nuclei/batch.hpp"

#include <cstdio>
#include <filesystem>
#include <string>

#include <macareu/error.hpp>

#include "command/verb.hpp"
#include "nuclei/slide_run.hpp"
#include "running/work_folder.hpp"

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
    if (error) throw io_error(path_.string() + ": " + error.message());
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

/// Files appear together: the summary, which says that a slide is finished, goes first and comes last.
void publish(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::remove(to / slide_file::summary, error);
  for (const auto& entry : fs::directory_iterator(from))
    if (const auto name = entry.path().filename(); name != "lock" && name != slide_file::summary)
      fs::rename(entry.path(), to / name);
  fs::rename(from / slide_file::summary, to / slide_file::summary);
}

void analyse(const nuclei_settings& settings, const std::string& file, const fs::path& to,
             interruption& signals) {
  const output_directory target(to);
  work_folder work(to / ".macareu-nuclei");
  work.create(to.string());
  slide_run slide(settings, file, work.path(), signals);
  slide.run();
  signals.check();
  publish(work.path(), to);
  if (!settings.running.quiet)
    std::fprintf(stderr, "nuclei: %s: %llu nuclei\n", file.c_str(),
                 static_cast<unsigned long long>(slide.count()));
}

}  // namespace

int run_slides(nuclei_settings& settings, interruption& signals) {
  settings.check();
  const interruption::careful_section careful(signals);
  analyse(settings, settings.slides[0], settings.output, signals);
  return exit_code::done;
}

}  // namespace macareu::tool

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include <macareu/error.hpp>

#include "format.hpp"
#include "output.hpp"

namespace macareu {
namespace {

namespace fs = std::filesystem;

/// Resolves a chain of symbolic links, even to a file that does not exist yet.
fs::path followed(fs::path file) {
  constexpr int longest_chain = 40;
  std::error_code error;
  for (int i = 0; i < longest_chain && fs::is_symlink(file, error); ++i)
    file = file.parent_path() / fs::read_symlink(file, error);
  return file;
}

/// Creates an empty file in the directory of `target`. Exclusive creation prevents sharing it with another
/// process.
fs::path reserve_beside(const fs::path& target, const fs::path& name) {
  static std::atomic<unsigned> counter = 0;
  for (;;) {
    // Truncated, so that the longest name leaves room for the suffix.
    auto temporary = std::string(".") + target.stem().string().substr(0, 128) + ".macareu-" +
                     std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp" +
                     name.extension().string();
    auto path = target.parent_path() / temporary;
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      ::close(descriptor);
      return path;
    }
    if (errno != EEXIST) throw io_error(name.string() + ": " + std::strerror(errno));
  }
}

}  // namespace

struct output_files::state {
  struct renaming {
    fs::path temporary;
    fs::path target;
    fs::path name;
  };
  std::vector<renaming> renamings;
  /// Pending writes to pipes and devices, each with a copy of its data.
  std::vector<std::function<void()>> streams;

  /// Calls `write` with the path of a temporary that the commit will rename to `file`.
  template <class Write>
  void write_beside(const fs::path& file, Write write) {
    const auto target = followed(file);
    std::error_code ignored;
    if (fs::is_directory(target, ignored)) throw io_error(file.string() + ": is a directory");
    const auto temporary = reserve_beside(target, file);
    try {
      write(temporary);
    } catch (...) {
      // A commit after a failure must not rename half a file.
      fs::remove(temporary, ignored);
      throw;
    }
    renamings.push_back({temporary, target, file});
  }
};

output_files::output_files() : state_(std::make_unique<state>()) {}

output_files::~output_files() {
  std::error_code ignored;
  for (const auto& entry : state_->renamings) fs::remove(entry.temporary, ignored);
}

void output_files::add(const fs::path& file, const const_image_view& pixels, const metadata& info) {
  const auto& format = files::format_to_write(file, pixels);
  if (files::is_stream_destination(file)) {
    auto copy = std::make_shared<const image>(copy_of(pixels));
    state_->streams.push_back([=, &format] { files::write_as(format, file, file, *copy, info); });
  } else {
    state_->write_beside(file,
                         [&](const fs::path& path) { files::write_as(format, path, file, pixels, info); });
  }
}

void output_files::add_text(const fs::path& file, std::string text) {
  const auto write = [file, text = std::move(text)](const fs::path& path) {
    files::output out(path, file);
    out.write(text);
    out.close();
  };
  if (files::is_stream_destination(file))
    state_->streams.push_back([=] { write(file); });
  else
    state_->write_beside(file, write);
}

void output_files::commit() {
  // Streams first, as they can fail half way: until the renames nothing has a final name.
  for (const auto& write : std::exchange(state_->streams, {})) write();
  for (const auto& entry : state_->renamings)
    if (std::rename(entry.temporary.c_str(), entry.target.c_str()) != 0)
      throw io_error(entry.name.string() + ": " + std::strerror(errno));
  state_->renamings.clear();
}

}  // namespace macareu

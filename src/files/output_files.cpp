#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "format.hpp"
#include "output.hpp"
#include "pending_file.hpp"
#include "regions/zarr.hpp"
#include "rename_list.hpp"

namespace macareu {

namespace fs = std::filesystem;

struct output_files::state {
  /// Empty if temporaries lie beside their destinations.
  fs::path folder;
  std::vector<files::finished_file> finished;
  std::vector<files::pending_file> pending;
  std::vector<std::unique_ptr<image_sink>> directories;
  /// Pending writes to pipes and devices, each with a copy of its data.
  std::vector<std::function<void()>> streams;

  /// Calls `write` with the path of a temporary that the commit will rename to `file`.
  template <class Write>
  void write_beside(const fs::path& file, Write write) {
    if (!folder.empty()) return write(in_folder(file));
    files::pending_file begun(file);
    write(begun.path());
    pending.push_back(std::move(begun));
  }

  /// A place for it in the folder, under its own name: formats may repeat it.
  fs::path in_folder(const fs::path& file) {
    const auto own = folder / ("written-" + std::to_string(finished.size()));
    fs::create_directory(own);
    finished.push_back({own / file.filename(), file});
    return finished.back().file;
  }
};

output_files::output_files() : state_(std::make_unique<state>()) {}

output_files::output_files(const fs::path& folder) : output_files() { state_->folder = folder; }

output_files::~output_files() = default;

void output_files::add(const fs::path& file, const const_image_view& pixels, const metadata& info) {
  const files::view_rows rows(pixels, info);
  if (files::is_zarr_name(file) && !state_->folder.empty()) {
    files::write_zarr(state_->in_folder(file), rows)->commit();
    return;
  }
  if (files::is_zarr_name(file)) {
    state_->directories.push_back(files::write_zarr(file, rows));
    return;
  }
  const auto& format = files::format_to_write(file, rows.form());
  if (files::is_stream_destination(file)) {
    auto copy = std::make_shared<const image>(copy_of(pixels));
    state_->streams.push_back(
        [=, &format] { files::write_as(format, file, file, files::view_rows(*copy, info)); });
  } else {
    state_->write_beside(file, [&](const fs::path& path) { files::write_as(format, path, file, rows); });
  }
}

void output_files::add_text(const fs::path& file, std::string text) {
  add_text(file, [text = std::move(text)](const auto& write) { write(text); });
}

void output_files::add_text(const fs::path& file,
                            std::function<void(const std::function<void(std::string_view)>& write)> tell) {
  const auto write = [file, tell = std::move(tell)](const fs::path& path) {
    files::output out(path, file);
    tell([&](std::string_view text) { out.write(text); });
    out.close();
  };
  if (files::is_stream_destination(file))
    state_->streams.push_back([=] { write(file); });
  else
    state_->write_beside(file, write);
}

void output_files::add_finished(const fs::path& file, const fs::path& made) {
  if (!files::is_stream_destination(file)) return state_->finished.push_back({made, file});
  state_->streams.push_back([file, made] {
    std::ifstream from(made, std::ios::binary);
    files::output to(file);
    std::vector<char> part(std::size_t{1} << 20);
    while (from) {
      from.read(part.data(), std::ssize(part));
      to.write(part.data(), static_cast<std::size_t>(from.gcount()));
    }
    if (!from.eof()) throw io_error(made.string(), "cannot be read");
    to.close();
  });
}

bool output_files::finish_commit(const fs::path& folder) { return files::finish_renames(folder); }

void output_files::commit(bool durable) {
  // Streams first, as they can fail half way: until the renames nothing has a final name.
  for (const auto& write : std::exchange(state_->streams, {})) write();
  if (!state_->folder.empty()) files::rename_all(state_->folder, state_->finished, durable);
  for (auto& file : state_->pending) file.commit();
  for (const auto& sink : state_->directories) sink->commit();
  state_->pending.clear();
  state_->directories.clear();
}

}  // namespace macareu

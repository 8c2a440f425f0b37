#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "files/output.hpp"
#include "files/pending_file.hpp"
#include "files/text/text.hpp"
#include "halve.hpp"
#include "sinks.hpp"
#include "stored_source.hpp"
#include "zarr.hpp"
#include "zarr_chunks.hpp"
#include "zarr_grid.hpp"

namespace macareu::files {
namespace {

namespace fs = std::filesystem;

bool is_zarr(const fs::path& directory) {
  std::error_code ignored;
  return fs::exists(directory / ".zarray", ignored) || fs::exists(directory / ".zgroup", ignored);
}

void write_text(const fs::path& file, const fs::path& name, const std::string& text) {
  output to(file, name);
  to.write(text);
  to.close();
}

/// Channels are the last axis of an array, as in .npy, and the first of an OME-Zarr image.
zarr_image image_for(const fs::path& directory, const source_form& form, bool ome) {
  zarr_array array{.directory = directory, .type = form.type, .separator = ome ? '/' : '.'};
  std::array<int, 4> axes{-1, -1, -1, -1};
  const auto add = [&](std::size_t role, std::int64_t size, std::int64_t chunk) {
    axes[role] = static_cast<int>(array.shape.size());
    array.shape.push_back(size);
    array.chunks.push_back(std::clamp<std::int64_t>(size, 1, chunk));
  };
  const bool volume = form.shape.rank() == 3;
  if (form.channels > 1 && ome) add(3, form.channels, form.channels);
  if (volume) add(0, form.shape.depth(), 64);
  add(1, form.shape.height(), volume ? 64 : 1024);
  add(2, form.shape.width(), volume ? 64 : 1024);
  if (form.channels > 1 && !ome) add(3, form.channels, form.channels);
  return {std::move(array), form, axes};
}

/// Writes a region of whole chunks. Messages use `name`.
void write_chunks(const zarr_image& image, const image_region& to, const void* from, const fs::path& name) {
  const auto& array = image.array;
  std::vector<std::byte> buffer;
  for_each_chunk(image, to, [&](chunk_part& part) {
    // Chunks at the end of the image reach beyond it.
    buffer.assign(array.chunk_bytes(), std::byte{0});
    for (auto& axis : part.axes) std::swap(axis.from_step, axis.to_step);
    copy_box(part.axes, size_of(array.type), static_cast<const std::byte*>(from) + part.memory_offset,
             buffer.data() + part.chunk_offset);
    if (array.order != std::endian::native) to_native(buffer, array.type, array.order);
    write_chunk(array, array.chunk_file(part.index), buffer, name);
  });
}

/// Levels until one has a single chunk of rows and columns.
int levels_of(extents shape) {
  int levels = 1;
  for (; std::max(shape.height(), shape.width()) > 1024; ++levels) shape = halved(shape);
  return levels;
}

class zarr_sink final : public image_sink {
 public:
  zarr_sink(const fs::path& directory, const source_form& form, const sink_options& options,
            bool zeros_elsewhere);

  std::array<std::int64_t, 3> chunk() const override;
  bool has_chunk_files() const override;
  bool link_chunk(const image_region& chunk, const fs::path& file) override;
  void write(const image_region& to, const void* from) override;
  void commit() override;
  bool was_written(const image_region& region) override;

 private:
  /// Creates the directory of an array and its metadata.
  void begin(const zarr_array& array);
  /// Writes the next smaller level.
  zarr_image write_level(const zarr_image& from, int level);

  fs::path name_;
  /// Absent where the directory is written in place.
  std::optional<pending_directory> pending_;
  fs::path place_;
  sink_options options_;
  bool zeros_elsewhere_;
  zarr_image image_;
  int levels_ = 1;
  std::mutex noting_;
  written_pixels written_;
};

zarr_sink::zarr_sink(const fs::path& directory, const source_form& form, const sink_options& options,
                     bool zeros_elsewhere)
    : name_(directory), options_(options), zeros_elsewhere_(zeros_elsewhere), written_(form) {
  if (!options.resumable) pending_.emplace(directory, is_zarr);
  place_ = pending_ ? pending_->path() : directory;
  const bool ome = lower(directory.stem().extension().string()) == ".ome";
  if (options.pyramid && !ome)
    throw usage_error(directory.string(), "a pyramid needs a name that ends in .ome.zarr");
  if (options.pyramid) levels_ = levels_of(form.shape);
  image_ = image_for(ome ? place_ / "0" : place_, form, ome);
  if (ome) {
    std::error_code error;
    fs::create_directories(place_, error);
    if (error) throw io_error(name_.string(), error.message());
    write_text(place_ / ".zgroup", name_, zgroup_text);
    write_text(place_ / ".zattrs", name_, multiscales_text(form, directory.stem().stem().string(), levels_));
  }
  begin(image_.array);
}

void zarr_sink::begin(const zarr_array& array) {
  std::error_code error;
  fs::create_directories(array.directory, error);
  if (error) throw io_error(name_.string(), error.message());
  write_text(array.directory / ".zarray", name_, zarray_text(array));
}

std::array<std::int64_t, 3> zarr_sink::chunk() const { return chunk_of(image_); }

void zarr_sink::write(const image_region& to, const void* from) {
  require_inside(to, image_.form.shape);
  const auto sizes = chunk();
  const auto& shape = image_.form.shape;
  const std::array whole{shape.depth(), shape.height(), shape.width()};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto end = to.first[axis] + to.size[axis];
    if (to.first[axis] % sizes[axis] != 0 || (end % sizes[axis] != 0 && end != whole[axis]))
      throw usage_error(name_.string(), "a region of " + std::to_string(to.size[axis]) + " from " +
                                            std::to_string(to.first[axis]) + " on axis " +
                                            std::to_string(axis) + " is not made of whole chunks of " +
                                            std::to_string(sizes[axis]));
  }
  write_chunks(image_, to, from, name_);
  const std::lock_guard lock(noting_);
  written_.add(to);
}

bool zarr_sink::has_chunk_files() const {
  const auto& array = image_.array;
  return image_.form.channels == 1 && (array.order == std::endian::native || size_of(array.type) == 1);
}

bool zarr_sink::link_chunk(const image_region& chunk, const fs::path& file) {
  require_inside(chunk, image_.form.shape);
  const auto& array = image_.array;
  std::vector<fs::path> names;
  for_each_chunk(image_, chunk,
                 [&](const chunk_part& part) { names.push_back(array.chunk_file(part.index)); });
  std::error_code error;
  if (names.size() != 1 || fs::file_size(file, error) != array.chunk_bytes()) return false;
  if (!link_as_chunk(array, names[0], file)) return false;
  const std::lock_guard lock(noting_);
  written_.add(chunk);
  return true;
}

bool zarr_sink::was_written(const image_region& region) {
  if (pending_) return false;
  bool all = true;
  std::error_code ignored;
  for_each_chunk(image_, region, [&](const chunk_part& part) {
    all = all && fs::exists(image_.array.chunk_file(part.index), ignored);
  });
  if (all) written_.add(region);
  return all;
}

void zarr_sink::commit() {
  if (!zeros_elsewhere_) written_.require_all(name_);
  auto image = image_;
  for (int level = 1; level < levels_; ++level) image = write_level(image, level);
  if (pending_) pending_->commit();
}

zarr_image zarr_sink::write_level(const zarr_image& from, int level) {
  auto form = from.form;
  form.shape = halved(form.shape);
  auto image = image_for(place_ / std::to_string(level), form, true);
  begin(image.array);
  const auto source = open_zarr_image(from);
  const auto whole = from.form.shape;
  const auto [slices, rows, columns] = chunk_of(image);
  const auto pixel = size_of(form.type) * static_cast<std::size_t>(form.channels);
  std::vector<std::byte> large, small;
  for (std::int64_t z = 0; z < whole.depth(); z += slices)
    for (std::int64_t y = 0; y < whole.height(); y += 2 * rows)
      for (std::int64_t x = 0; x < whole.width(); x += 2 * columns) {
        const image_region box{{z, y, x},
                               {std::min(slices, whole.depth() - z), std::min(2 * rows, whole.height() - y),
                                std::min(2 * columns, whole.width() - x)}};
        large.resize(static_cast<std::size_t>(box.pixels()) * pixel);
        source->read(box, large.data());
        const auto part = source_form{form.type, {box.size[0], box.size[1], box.size[2]}, form.channels};
        const auto half = halved(part.shape);
        small.resize(static_cast<std::size_t>(half.pixels()) * pixel);
        halve(part, large.data(), options_.labels, small.data());
        write_chunks(image, {{z, y / 2, x / 2}, {half.depth(), half.height(), half.width()}}, small.data(),
                     name_);
      }
  return image;
}

}  // namespace

bool has_zarr() { return true; }

std::unique_ptr<image_sink> create_zarr(const fs::path& directory, const source_form& form,
                                        const sink_options& options, bool zeros_elsewhere) {
  // Without the slash that a directory's name may end in.
  return std::make_unique<zarr_sink>(directory.has_filename() ? directory : directory.parent_path(), form,
                                     options, zeros_elsewhere);
}

}  // namespace macareu::files

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "files/output.hpp"
#include "files/pending_file.hpp"
#include "files/text.hpp"
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

/// An array, or an image of one level if the name ends in .ome.zarr.
class zarr_sink final : public image_sink {
 public:
  zarr_sink(const std::filesystem::path& directory, const source_form& form);

  std::array<std::int64_t, 3> chunk() const override;
  void write(const image_region& to, const void* from) override;
  void commit() override;

 private:
  pending_directory pending_;
  zarr_image image_;
  written_pixels written_;
  std::vector<std::byte> pixels_;
};

zarr_sink::zarr_sink(const fs::path& directory, const source_form& form)
    : pending_(directory, is_zarr), written_(form) {
  const bool ome = lower(directory.stem().extension().string()) == ".ome";
  image_ = image_for(ome ? pending_.path() / "0" : pending_.path(), form, ome);
  if (ome) {
    write_text(pending_.path() / ".zgroup", pending_.name(), zgroup_text);
    write_text(pending_.path() / ".zattrs", pending_.name(),
               multiscales_text(form, directory.stem().stem().string(), 1));
    std::error_code error;
    if (!fs::create_directory(image_.array.directory, error))
      throw io_error(pending_.name().string() + ": " + error.message());
  }
  write_text(image_.array.directory / ".zarray", pending_.name(), zarray_text(image_.array));
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
      throw usage_error(pending_.name().string() + ": a region of " + std::to_string(to.size[axis]) +
                        " from " + std::to_string(to.first[axis]) + " on axis " + std::to_string(axis) +
                        " is not made of whole chunks of " + std::to_string(sizes[axis]));
  }
  const auto& array = image_.array;
  for_each_chunk(image_, to, [&](chunk_part& part) {
    // Chunks at the end of the image reach beyond it.
    pixels_.assign(array.chunk_bytes(), std::byte{0});
    for (auto& axis : part.axes) std::swap(axis.from_step, axis.to_step);
    copy_box(part.axes, size_of(array.type), static_cast<const std::byte*>(from) + part.memory_offset,
             pixels_.data() + part.chunk_offset);
    if (array.order != std::endian::native) to_native(pixels_, array.type, array.order);
    write_chunk(array, array.chunk_file(part.index), pixels_, pending_.name());
  });
  written_.add(to);
}

void zarr_sink::commit() {
  written_.require_all(pending_.name());
  pending_.commit();
}

}  // namespace

bool has_zarr() { return true; }

std::unique_ptr<image_sink> create_zarr(const fs::path& directory, const source_form& form) {
  return std::make_unique<zarr_sink>(directory, form);
}

}  // namespace macareu::files

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "random_file.hpp"
#include "stored_source.hpp"
#include "zarr.hpp"
#include "zarr_chunks.hpp"
#include "zarr_grid.hpp"

namespace macareu::files {
namespace {

class zarr_source final : public image_source {
 public:
  explicit zarr_source(zarr_image image);

  const source_form& form() const override { return image_.form; }
  std::array<std::int64_t, 3> chunk() const override;
  void read(const image_region& from, void* to) override;
  std::string identity() const override;

 private:
  /// Makes the pixels of a chunk current; false if it is missing.
  bool load(const std::vector<std::int64_t>& index);

  zarr_image image_;
  random_file metadata_;
  /// The chunk that was decoded last. Regions with halos need their border chunks several times.
  std::vector<std::int64_t> current_;
  bool present_ = false;
  std::vector<std::byte> pixels_;
};

zarr_source::zarr_source(zarr_image image)
    : image_(std::move(image)),
      metadata_(random_file::open(image_.array.directory / ".zarray", image_.array.directory / ".zarray")) {}

std::array<std::int64_t, 3> zarr_source::chunk() const { return chunk_of(image_); }

void zarr_source::read(const image_region& from, void* to) {
  require_inside(from, image_.form.shape);
  metadata_.require_unchanged();
  const auto& array = image_.array;
  for_each_chunk(image_, from, [&](chunk_part& part) {
    const std::byte* pixels = array.fill.data();
    if (load(part.index))
      pixels = pixels_.data() + part.chunk_offset;
    else
      for (auto& axis : part.axes) axis.from_step = 0;
    copy_box(part.axes, size_of(array.type), pixels, static_cast<std::byte*>(to) + part.memory_offset);
  });
}

std::string zarr_source::identity() const {
  constexpr std::int64_t most_samples = 32;
  std::string text = metadata_.identity();
  const auto& array = image_.array;
  std::int64_t chunks = 1;
  for (std::size_t i = 0; i < array.shape.size(); ++i)
    chunks *= (array.shape[i] + array.chunks[i] - 1) / array.chunks[i];
  const auto samples = std::min(chunks, most_samples);
  for (std::int64_t i = 0; i < samples; ++i) {
    auto number = i + 1 == samples ? chunks - 1 : i * ((chunks - 1) / (samples - 1));
    std::vector<std::int64_t> index(array.shape.size());
    for (auto axis = index.size(); axis-- > 0;) {
      const auto count = (array.shape[axis] + array.chunks[axis] - 1) / array.chunks[axis];
      index[axis] = number % count;
      number /= count;
    }
    const auto file = array.chunk_file(index);
    std::error_code ignored;
    text += "; " + (std::filesystem::is_regular_file(file, ignored) ? random_file::open(file, file).identity()
                                                                    : std::string("missing"));
  }
  return text;
}

bool zarr_source::load(const std::vector<std::int64_t>& index) {
  if (index != current_) {
    current_.clear();
    present_ = read_chunk(image_.array, image_.array.chunk_file(index), pixels_);
    current_ = index;
  }
  return present_;
}

}  // namespace

std::unique_ptr<image_source> open_zarr(const std::filesystem::path& directory, const read_options& options) {
  return open_zarr_image(read_zarr_metadata(directory, options));
}

std::unique_ptr<image_source> open_zarr_image(zarr_image image) {
  return std::make_unique<zarr_source>(std::move(image));
}

}  // namespace macareu::files

#include "write_source.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <vector>

#include "files/format.hpp"
#include "files/pending_file.hpp"
#include "zarr.hpp"

namespace macareu::files {
namespace {

/// Rows of a source, read in bands.
class source_rows final : public pixel_rows {
 public:
  explicit source_rows(image_source& pixels) : pixel_rows(pixels.form()), pixels_(pixels) {}
  void copy(std::int64_t row, std::int64_t x, std::int64_t count, truth as, std::byte* to) const override {
    const auto& shape = form().shape;
    const auto pixel = size_of(form().type) * static_cast<std::size_t>(form().channels);
    const auto line = static_cast<std::size_t>(shape.width()) * pixel;
    const std::lock_guard lock(reading_);
    if (row < first_ || row >= end_) {
      // Whole lines of chunks of one slice, as many as fit.
      constexpr std::int64_t most_bytes = std::int64_t{64} << 20;
      const auto step = std::max<std::int64_t>(pixels_.chunk()[1], 1);
      const auto lines =
          std::max(most_bytes / std::max<std::int64_t>(static_cast<std::int64_t>(line), 1) / step,
                   std::int64_t{1}) *
          step;
      const auto z = row / shape.height(), y = row % shape.height() / step * step;
      const auto now = std::min(lines, shape.height() - y);
      band_.resize(line * static_cast<std::size_t>(now));
      pixels_.read({{z, y, 0}, {1, now, shape.width()}}, band_.data());
      first_ = z * shape.height() + y;
      end_ = first_ + now;
    }
    const std::span bytes(to, static_cast<std::size_t>(count) * pixel);
    std::memcpy(
        to,
        band_.data() + static_cast<std::size_t>(row - first_) * line + static_cast<std::size_t>(x) * pixel,
        bytes.size());
    if (form().type == dtype::boolean) spell_truth(bytes, as);
  }

 private:
  image_source& pixels_;
  mutable std::mutex reading_;  // libvips calls on several threads
  /// The rows that were read last.
  mutable std::vector<std::byte> band_;
  mutable std::int64_t first_ = 0, end_ = 0;
};

}  // namespace

void write_source(const std::filesystem::path& file, image_source& pixels, const sink_options& options) {
  const source_rows rows(pixels);
  if (is_zarr_name(file)) return write_zarr(file, rows)->commit();
  const auto& format = format_to_write(file, pixels.form());
  if (is_stream_destination(file)) return write_as(format, file, file, rows, options);
  remove_leftovers(file);
  pending_file pending(file);
  write_as(format, pending.path(), file, rows, options);
  pending.commit();
}

}  // namespace macareu::files

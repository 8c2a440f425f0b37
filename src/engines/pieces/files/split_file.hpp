// Pixels in a folder, with a file for each box of a grid, such as the pieces of a run or the chunks of an
// output: those who write one file take turns in most file systems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include <macareu/ranks.hpp>
#include <macareu/sources.hpp>

#include "core/function_ref.hpp"
#include "engines/pieces/block.hpp"
#include "engines/pieces/box.hpp"

namespace macareu::pieces {

/// The chunks of an output, if each is a file that a work file can become.
std::optional<site> chunk_files_of(const image_sink& sink);

/// Files have room for a whole piece, also at the end of the image.
class split_file {
 public:
  /// Makes the folder, which others may have made.
  split_file(std::filesystem::path folder, const piece_grid& grid, std::size_t pixel_bytes);

  void write(const block& pixels) const;
  /// Of pieces that were written. Throws io_error if one is not there.
  void read(const block& to) const;

  /// Gives the chunks of an output the files of the pieces, or their pixels where the file system cannot.
  /// Each rank has a share of them, and the first one returns when all are there. check() comes before each,
  /// and may throw.
  void become_chunks(image_sink& of, ranks* shared_by, function_ref<void()> check) const;

  const piece_grid& grid() const { return grid_; }
  std::size_t pixel_bytes() const { return pixel_bytes_; }

 private:
  std::filesystem::path path_of(std::int64_t piece) const { return folder_ / std::to_string(piece); }
  /// Where the pixels of a piece lie in its file.
  box in_file(std::int64_t piece) const { return {grid_.piece(piece).first, grid_.size()}; }

  std::filesystem::path folder_;
  piece_grid grid_;
  std::size_t pixel_bytes_;
};

/// transfer(offset, memory, bytes) for every contiguous part of a box, in a file of an image in C order.
template <class Transfer>
void over_parts(const block& pixels, const box& image, const Transfer& transfer) {
  const auto bytes = static_cast<std::int64_t>(pixels.pixel_bytes);
  const auto& where = pixels.where;
  if (where.pixels() == 0) return;
  const bool rows_follow = where.size.x == image.size.x && pixels.step_y == where.size.x;
  const bool slices_follow =
      rows_follow && where.size.y == image.size.y && pixels.step_z == where.size.y * where.size.x;
  const auto rows = slices_follow ? where.size.z * where.size.y : rows_follow ? where.size.y : 1;
  const auto end = where.end();
  for (auto z = where.first.z; z < end.z; z += slices_follow ? where.size.z : 1)
    for (auto y = where.first.y; y < end.y; y += rows_follow ? where.size.y : 1) {
      const auto index = ((z - image.first.z) * image.size.y + y - image.first.y) * image.size.x +
                         where.first.x - image.first.x;
      transfer(index * bytes, pixels.row(z, y), rows * where.size.x * bytes);
    }
}

}  // namespace macareu::pieces

// Labels of a slide in a work file, which takes room only where labels are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <macareu/sources.hpp>

#include "files/regions/random_file.hpp"

namespace macareu::slides {

/// Tiles of u32 in an unnamed file; tiles of zeros are not stored.
class label_store final : public image_source, public image_sink {
 public:
  static constexpr std::int64_t side = 256;

  label_store(const extents& shape, const metadata& info, const std::filesystem::path& scratch);

  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override { return {1, side, side}; }
  void read(const image_region& from, void* to) override;
  void write(const image_region& to, const void* from) override;
  void commit() override {}

  /// Whether the tile with this pixel has labels.
  bool has_labels(std::int64_t y, std::int64_t x) const { return slot(y / side, x / side) >= 0; }
  /// Writes a pyramid as TIFF.
  void write_to(const std::filesystem::path& file);
  std::int64_t bytes() const { return slots_ * tile_bytes; }

 private:
  static constexpr std::int64_t row_bytes = side * 4, tile_bytes = side * row_bytes;

  std::int32_t slot(std::int64_t row, std::int64_t column) const {
    return slot_[static_cast<std::size_t>(row * columns_ + column)];
  }
  /// Calls visit(tile's row and column, the part of the region in it, its offset in the region's memory).
  template <class Visit>
  void over_tiles(const image_region& region, Visit visit) const;

  source_form form_;
  std::int64_t columns_;
  std::vector<std::int32_t> slot_;  // in the file; -1 without labels
  std::int32_t slots_ = 0;
  files::random_file file_;
  std::vector<std::uint32_t> tile_;
};

}  // namespace macareu::slides

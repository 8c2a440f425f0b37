// Labels of a slide in a work file, which takes little room.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include <macareu/sources.hpp>

#include "core/coding/coded_file.hpp"
#include "core/host_threads.hpp"

namespace macareu::slides {

/// Tiles of u32; tiles of zeros are not stored.
class label_store final : public image_source, public image_sink {
 public:
  static constexpr std::int64_t side = 256;

  /// threads: of large regions, 0 for all. Ranks that share it write tiles of their own.
  label_store(const extents& shape, const metadata& info, const std::filesystem::path& scratch,
              int threads = 1, ranks* shared_by = nullptr);

  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override { return {1, side, side}; }
  /// By several threads, if they like.
  void read(const image_region& from, void* to) override;
  void write(const image_region& to, const void* from) override;
  void commit() override {}
  /// What other ranks wrote is found by share(), which throws if it is not there.
  bool was_written(const image_region&) override { return shared_by_ != nullptr; }
  /// Lets all ranks read what each has written; no-op without ranks.
  void share();

  /// Whether the tile with this pixel has labels.
  bool has_labels(std::int64_t y, std::int64_t x) const {
    return has_labels_[static_cast<std::size_t>(y / side * columns_ + x / side)];
  }
  /// With numbers[label] in place of each label. All ranks call it.
  std::unique_ptr<label_store> renumbered(const std::vector<std::uint32_t>& numbers,
                                          const std::filesystem::path& scratch);
  /// Writes a pyramid as TIFF, or an array as Zarr.
  void write_to(const std::filesystem::path& file);

 private:
  static image_region tile_at(std::int64_t y, std::int64_t x);
  host_threads threads_for(const image_region& region) const;
  /// Writes pixels of one tile; `tile` is memory for all of them.
  void write_part(std::int64_t y, std::int64_t x, std::int64_t rows, std::int64_t columns,
                  const std::uint32_t* from, std::int64_t pitch, std::vector<std::uint32_t>& tile);
  /// Calls visit(tile's row and column, the part of the region in it, its offset in the region's memory).
  template <class Visit>
  void over_tiles(const image_region& region, Visit visit) const;

  source_form form_;
  std::int64_t columns_;
  std::vector<std::uint8_t> has_labels_;  // of tiles; bytes, as threads write them
  int threads_;
  ranks* shared_by_;
  coded_file file_;
};

}  // namespace macareu::slides

// What a page consists of: names of its files, and their content.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/page.hpp>

#include "columns.hpp"
#include "objects.hpp"
#include "tiles.hpp"

namespace macareu::pages {

/// Checks the content and describes it.
class page_model {
 public:
  explicit page_model(page_content content);

  const page_content& content() const { return content_; }
  const extents& shape() const { return images_[0].form().shape; }
  std::deque<tile_reader>& images() { return images_; }
  image_source* labels() const {
    return content_.labels.levels.empty() ? nullptr : content_.labels.levels[0];
  }
  /// Null without a table.
  const row_index* rows() const { return rows_ ? &*rows_ : nullptr; }
  const column_files* columns() const { return columns_ ? &*columns_ : nullptr; }
  /// Tiles of objects along an axis.
  std::int64_t object_rows() const;
  std::int64_t object_columns() const;

  struct image_part {
    std::string type;                     ///< extension of tiles
    std::optional<int> coarse_from = {};  ///< tiles of so many halvings and more become finer
    int version = 0;                      ///< of those tiles
  };
  struct meta_parts {
    std::vector<image_part> images;
    std::vector<std::uint32_t> counts = {};  ///< objects of each tile; empty if that is not known
    const column_files* places = nullptr;    ///< x, y and size of each row
    int raster_levels = 0;
    bool raster_exact = true;  ///< from the start
    int raster_version = 0;
    std::string note = {};  ///< a message above the image
    bool live = false;      ///< tiles may become finer
  };
  /// The text of data/meta.js.
  std::string meta(const meta_parts& parts) const;

 private:
  void check() const;

  page_content content_;
  std::deque<tile_reader> images_;
  std::optional<row_index> rows_;
  std::optional<column_files> columns_;
};

/// Names, relative to the folder of index.html.
std::string image_tile_name(std::size_t image, const extents& shape, const tile_place& place,
                            std::string_view type);
std::string data_name(std::string_view kind, std::initializer_list<std::int64_t> numbers);
/// The text of a data file: a call with its name and its bytes.
std::string data_text(std::string_view name, std::string_view bytes);

/// A file that every page has: index.html, scripts and styles.
struct page_asset {
  std::string_view name;
  std::string_view text;
};
const std::vector<page_asset>& assets();

}  // namespace macareu::pages

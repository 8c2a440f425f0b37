#include "slides/label_store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "files/regions/write_source.hpp"

namespace macareu::slides {

label_store::label_store(const extents& shape, const metadata& info, const std::filesystem::path& scratch)
    : form_{.type = dtype::u32, .shape = shape, .info = info},
      columns_((shape.width() + side - 1) / side),
      slot_(static_cast<std::size_t>((shape.height() + side - 1) / side * columns_), -1),
      file_(files::random_file::scratch(scratch, "labels of nuclei")),
      tile_(static_cast<std::size_t>(side * side)) {}

template <class Visit>
void label_store::over_tiles(const image_region& region, Visit visit) const {
  const auto end_y = region.first[1] + region.size[1], end_x = region.first[2] + region.size[2];
  for (auto y = region.first[1]; y < end_y; y = (y / side + 1) * side)
    for (auto x = region.first[2]; x < end_x; x = (x / side + 1) * side) {
      const auto rows = std::min((y / side + 1) * side, end_y) - y;
      const auto columns = std::min((x / side + 1) * side, end_x) - x;
      visit(y, x, rows, columns, (y - region.first[1]) * region.size[2] + x - region.first[2]);
    }
}

void label_store::read(const image_region& from, void* to) {
  auto* const labels = static_cast<std::uint32_t*>(to);
  const auto width = from.size[2];
  over_tiles(from, [&](auto y, auto x, auto rows, auto columns, auto offset) {
    const auto stored = slot(y / side, x / side);
    auto* row = labels + offset;
    if (stored < 0) {
      for (auto i = rows; i > 0; --i, row += width) std::fill_n(row, columns, 0);
      return;
    }
    const auto part = std::span(tile_).first(static_cast<std::size_t>(rows * side));
    file_.read(static_cast<std::uint64_t>(stored * tile_bytes + y % side * row_bytes),
               std::as_writable_bytes(part));
    const auto* stored_row = tile_.data() + x % side;
    for (auto i = rows; i > 0; --i, row += width, stored_row += side)
      std::memcpy(row, stored_row, static_cast<std::size_t>(columns) * sizeof *row);
  });
}

void label_store::write_to(const std::filesystem::path& file) {
  files::write_source(file, *this, {.pyramid = true, .labels = true});
}

void label_store::write(const image_region& to, const void* from) {
  const auto* const labels = static_cast<const std::uint32_t*>(from);
  const auto width = to.size[2];
  over_tiles(to, [&](auto y, auto x, auto rows, auto columns, auto offset) {
    const auto* row = labels + offset;
    bool empty = true;
    for (std::int64_t i = 0; i < rows && empty; ++i)
      empty = std::all_of(row + i * width, row + i * width + columns, [](auto label) { return label == 0; });
    if (empty) return;
    auto& stored = slot_[static_cast<std::size_t>(y / side * columns_ + x / side)];
    const bool is_new = stored < 0;
    if (is_new) stored = slots_++;
    const auto place = static_cast<std::uint64_t>(stored) * static_cast<std::uint64_t>(tile_bytes);
    if (is_new)
      std::ranges::fill(tile_, 0);
    else
      file_.read(place, std::as_writable_bytes(std::span(tile_)));
    for (std::int64_t i = 0; i < rows; ++i)
      std::memcpy(tile_.data() + (y % side + i) * side + x % side, row + i * width,
                  static_cast<std::size_t>(columns) * sizeof *row);
    file_.write(place, std::as_bytes(std::span(tile_)));
  });
}

}  // namespace macareu::slides

#include "slides/outputs/label_store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "catalogue/lend_threads.hpp"
#include "core/ceil_div.hpp"
#include "core/ranks/rank_shares.hpp"
#include "files/regions/write_source.hpp"
#include "files/regions/zarr.hpp"

namespace macareu::slides {

label_store::label_store(const extents& shape, const metadata& info, const std::filesystem::path& scratch,
                         int threads, ranks* shared_by)
    : form_{.type = dtype::u32, .shape = shape, .info = info},
      columns_(ceil_div(shape.width(), side)),
      has_labels_(static_cast<std::size_t>(ceil_div(shape.height(), side) * columns_)),
      threads_(threads),
      shared_by_(shared_by),
      file_(scratch, sizeof(std::uint32_t), shared_by) {}

void label_store::share() {
  file_.share();
  join_numbers(shared_by_, has_labels_, std::bit_or());
}

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
  const auto threads = threads_for(from);
  const auto all = static_cast<std::size_t>(from.pixels()), share = ceil_div<std::size_t>(all, 64);
  threads.for_each(ceil_div<std::size_t>(all, std::max<std::size_t>(share, 1)), [&](std::size_t i) {
    const auto first = i * share;
    std::fill_n(static_cast<std::uint32_t*>(to) + first, std::min(share, all - first), std::uint32_t{0});
  });
  file_.read(from, to, threads);
}

image_region label_store::tile_at(std::int64_t y, std::int64_t x) {
  return {{0, y / side * side, x / side * side}, {1, side, side}};
}

std::unique_ptr<label_store> label_store::renumbered(const std::vector<std::uint32_t>& numbers,
                                                     const std::filesystem::path& scratch) {
  auto result = std::make_unique<label_store>(form_.shape, form_.info, scratch, threads_, shared_by_);
  std::vector<std::uint32_t> tile;
  const auto own = share_of(shared_by_, ceil_div(form_.shape.height(), side));
  for (auto y = own.first * side; y < std::min(own.end * side, form_.shape.height()); y += side)
    for (std::int64_t x = 0; x < form_.shape.width(); x += side) {
      if (!has_labels(y, x)) continue;
      const image_region where{
          {0, y, x}, {1, std::min(side, form_.shape.height() - y), std::min(side, form_.shape.width() - x)}};
      tile.resize(static_cast<std::size_t>(where.pixels()));
      read(where, tile.data());
      for (auto& label : tile) label = numbers[label];
      result->write(where, tile.data());
    }
  result->share();
  return result;
}

void label_store::write_to(const std::filesystem::path& file) {
  if (file.extension() != ".zarr") return files::write_source(file, *this, {.pyramid = true, .labels = true});
  const auto sink = files::create_zarr(file, form_, {.labels = true}, true);
  const auto chunk = sink->chunk();
  const auto down = ceil_div(form_.shape.height(), chunk[1]),
             across = ceil_div(form_.shape.width(), chunk[2]);
  // Each has a chunk in memory twice. Other outputs are written at the same time.
  constexpr int most_threads = 4;
  auto threads = lend_threads(form_.shape.pixels(), threads_);
  threads.count = std::min(threads.count, most_threads);
  threads.for_each(static_cast<std::size_t>(down * across), [&](std::size_t unit) {
    const auto i = static_cast<std::int64_t>(unit);
    const auto y = i / across * chunk[1], x = i % across * chunk[2];
    const image_region where{
        {0, y, x},
        {1, std::min(chunk[1], form_.shape.height() - y), std::min(chunk[2], form_.shape.width() - x)}};
    bool any = false;
    over_tiles(where,
               [&](auto tile_y, auto tile_x, auto, auto, auto) { any = any || has_labels(tile_y, tile_x); });
    if (!any) return;  // chunks that are not there are zeros
    std::vector<std::uint32_t> labels(static_cast<std::size_t>(where.pixels()));
    read(where, labels.data());
    sink->write(where, labels.data());
  });
  sink->commit();
}

host_threads label_store::threads_for(const image_region& region) const {
  // Small regions are read by callers that have threads of their own.
  constexpr std::int64_t large = std::int64_t{1} << 22;
  return region.pixels() < large ? host_threads{} : lend_threads(region.pixels(), threads_);
}

void label_store::write(const image_region& to, const void* from) {
  const auto* const labels = static_cast<const std::uint32_t*>(from);
  const auto width = to.size[2];
  // A thread writes whole rows of tiles.
  const auto first = to.first[1] / side, end = ceil_div(to.first[1] + to.size[1], side);
  threads_for(to).for_each(
      static_cast<std::size_t>(std::max<std::int64_t>(end - first, 0)), [&](std::size_t unit) {
        const auto row_of_tiles = first + static_cast<std::int64_t>(unit);
        const auto top = std::max(to.first[1], row_of_tiles * side),
                   bottom = std::min(to.first[1] + to.size[1], (row_of_tiles + 1) * side);
        const auto* const band = labels + (top - to.first[1]) * width;
        std::vector<std::uint32_t> tile(static_cast<std::size_t>(side * side));
        over_tiles({{0, top, to.first[2]}, {1, bottom - top, width}},
                   [&](auto y, auto x, auto rows, auto columns, auto offset) {
                     write_part(y, x, rows, columns, band + offset, width, tile);
                   });
      });
}

void label_store::write_part(std::int64_t y, std::int64_t x, std::int64_t rows, std::int64_t columns,
                             const std::uint32_t* from, std::int64_t pitch,
                             std::vector<std::uint32_t>& tile) {
  bool empty = true;
  for (std::int64_t i = 0; i < rows && empty; ++i)
    empty = std::all_of(from + i * pitch, from + i * pitch + columns, [](auto label) { return label == 0; });
  if (empty) return;
  const auto where = tile_at(y, x);
  if (has_labels(y, x))
    file_.read(where, tile.data());
  else
    std::ranges::fill(tile, 0);
  has_labels_[static_cast<std::size_t>(y / side * columns_ + x / side)] = 1;
  for (std::int64_t i = 0; i < rows; ++i)
    std::memcpy(tile.data() + (y % side + i) * side + x % side, from + i * pitch,
                static_cast<std::size_t>(columns) * sizeof *from);
  file_.write(where, tile.data());
}

}  // namespace macareu::slides

#include "slides/tissue/overview.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "catalogue/lend_threads.hpp"
#include "core/ceil_div.hpp"
#include "files/no_such_level.hpp"
#include "slides/tissue/slide_part.hpp"

namespace macareu::slides {
namespace {

/// The whole downsample of a level, or 0 if it is another image, such as a label or thumbnail.
std::int64_t downsample_of(const source_form& level, const source_form& level_0) {
  if (level.shape.rank() != 2 || level.type != dtype::u8 || level.channels < 3 || level.shape.pixels() == 0)
    return 0;
  const auto factor = (level_0.shape.width() + level.shape.width() / 2) / level.shape.width();
  const auto fits = [&](std::int64_t small, std::int64_t large) {
    return factor > 0 && std::abs(small - large / factor) <= 1;
  };
  return fits(level.shape.width(), level_0.shape.width()) &&
                 fits(level.shape.height(), level_0.shape.height())
             ? factor
             : 0;
}

/// Sums of colours over the cells of one row of the overview.
class cell_row {
 public:
  cell_row(std::int64_t columns)
      : sum_(static_cast<std::size_t>(3 * columns)), count_(static_cast<std::size_t>(columns)) {}

  /// Adds pixels of one row, `side` of them to a cell.
  void add(const std::uint8_t* pixel, std::int64_t width, std::int64_t channels, std::int64_t side) {
    std::size_t cell = 0;
    for (std::int64_t x = 0; x < width; x += side, ++cell) {
      const auto now = std::min(side, width - x);
      std::array<std::uint32_t, 3> sum{};
      for (std::int64_t i = 0; i < now; ++i, pixel += channels)
        for (std::size_t c = 0; c < 3; ++c) sum[c] += pixel[c];
      for (std::size_t c = 0; c < 3; ++c) sum_[3 * cell + c] += sum[c];
      count_[cell] += static_cast<std::uint64_t>(now);
    }
  }
  /// Writes rounded means. Cells beyond the end of the level take the one before.
  void write(std::uint8_t* to) {
    for (std::size_t cell = 0; cell < count_.size(); ++cell)
      for (std::size_t c = 0; c < 3; ++c) {
        const auto n = count_[cell];
        to[3 * cell + c] = n > 0      ? static_cast<std::uint8_t>((sum_[3 * cell + c] + n / 2) / n)
                           : cell > 0 ? to[3 * (cell - 1) + c]
                                      : std::uint8_t{255};
      }
  }

 private:
  std::vector<std::uint64_t> sum_, count_;
};

}  // namespace

coarse_level find_level(const std::filesystem::path& file, const source_form& level_0, std::int64_t most,
                        const std::filesystem::path& scratch) {
  coarse_level best;
  constexpr int most_levels = 32;
  for (int level = 1; level < most_levels; ++level) {
    std::unique_ptr<image_source> opened;
    try {
      opened = open_slide(file, level, scratch);
    } catch (const files::no_such_level&) {
      break;  // the last level was before
    } catch (const io_error& e) {
      throw io_error(file.string(), "level " + std::to_string(level) + " cannot be read: " + e.what());
    }
    const auto downsample = downsample_of(opened->form(), level_0);
    if (downsample > best.downsample && downsample <= most) best = {std::move(opened), downsample};
  }
  return best;
}

overview_sizes sizes_for(const extents& part, double mpp, std::int64_t downsample) {
  constexpr double tissue_um = 8;
  constexpr std::int64_t largest_picture = 2048;
  const auto multiple = [](std::int64_t factor, std::int64_t of) {
    return of * std::max<std::int64_t>((factor + of / 2) / of, 1);
  };
  const auto tissue = std::max<std::int64_t>(std::llround(tissue_um / mpp), 1);
  const auto picture = ceil_div(std::max(part.height(), part.width()), largest_picture);
  const auto own = multiple(std::min(std::max<std::int64_t>(picture, 1), tissue), downsample);
  return {own, multiple(tissue, own)};
}

overview reduce(image_source& from, std::int64_t downsample, const image_region& part, std::int64_t factor,
                std::int64_t memory, const std::stop_token& stop, int threads) {
  const auto& form = from.form();
  const auto side = factor / downsample;
  const extents shape{ceil_div(part.size[1], factor), ceil_div(part.size[2], factor)};
  overview result{image(dtype::u8, shape, 3), factor};
  const auto pixels = result.colour.pixels<std::uint8_t>();
  const auto first_x = part.first[2] / downsample, first_y = part.first[1] / downsample;
  const auto end_x = std::min(ceil_div(part.first[2] + part.size[2], downsample), form.shape.width());
  const auto end_y = std::min(ceil_div(part.first[1] + part.size[1], downsample), form.shape.height());
  const auto width = std::max<std::int64_t>(end_x - first_x, 0);
  const auto row_bytes = std::max<std::int64_t>(width * form.channels, 1);
  const auto height = std::max<std::int64_t>(end_y - first_y, 0);
  const auto shared = lend_threads(height * width, threads);
  const auto cells_at_once = std::max(memory / shared.count / row_bytes / side, std::int64_t{1});
  const auto cells_with_pixels = std::min(ceil_div(height, side), shape.height());
  const auto row_of = [&](std::int64_t cell) { return pixels.data() + 3 * cell * shape.width(); };
  std::mutex reading;
  // While one thread reads a band, others add up theirs.
  shared.for_each(
      static_cast<std::size_t>(ceil_div(cells_with_pixels, cells_at_once)), [&](std::size_t unit) {
        if (stop.stop_requested()) throw interrupted();
        const auto first = static_cast<std::int64_t>(unit) * cells_at_once,
                   end = std::min(first + cells_at_once, cells_with_pixels);
        const auto y = first_y + first * side, rows = std::min(first_y + end * side, end_y) - y;
        std::vector<std::uint8_t> band(static_cast<std::size_t>(rows * row_bytes));
        if (width > 0) {
          const std::lock_guard lock(reading);
          from.read({{0, y, first_x}, {1, rows, width}}, band.data());
        }
        for (auto cell = first; cell < end; ++cell) {
          cell_row cells(shape.width());
          for (auto own = (cell - first) * side; own < std::min((cell - first + 1) * side, rows); ++own)
            cells.add(band.data() + own * row_bytes, width, form.channels, side);
          cells.write(row_of(cell));
        }
      });
  // Beyond the end of the level the row before is repeated.
  for (auto cell = cells_with_pixels; cell < shape.height(); ++cell)
    if (cell > 0)
      std::copy_n(row_of(cell - 1), 3 * shape.width(), row_of(cell));
    else
      std::fill_n(row_of(cell), 3 * shape.width(), std::uint8_t{255});
  return result;
}

slide_views views_of(const std::filesystem::path& file, const source_form& slide, image_source& level_0,
                     const image_region& part, double mpp, const view_limits& limits) {
  constexpr auto usual = std::int64_t{32} << 20;
  const auto memory = limits.memory > 0 ? std::min(usual, limits.memory / 4) : usual;
  const auto& shape = level_0.form().shape;
  coarse_level level;
  if (!file.empty()) level = find_level(file, slide, sizes_for(shape, mpp, 1).picture, limits.scratch);
  const auto sizes = sizes_for(shape, mpp, level.downsample);
  auto picture =
      level.pixels
          ? reduce(*level.pixels, level.downsample, part, sizes.picture, memory, limits.stop, limits.threads)
          : reduce(level_0, 1, whole_of(shape), sizes.picture, memory, limits.stop, limits.threads);
  auto coarse = reduce(*source_of(picture.colour), 1, whole_of(picture.colour.shape()),
                       sizes.tissue / sizes.picture, memory);
  coarse.factor = sizes.tissue;
  return {std::move(picture), std::move(coarse)};
}

}  // namespace macareu::slides

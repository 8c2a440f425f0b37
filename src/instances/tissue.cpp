// Stained tissue on a slide, for reconstruction. With v_k value noise in cells of 2^k pixels, 0..65535:
//
// cover  = 4 v_10 + 2 v_8 + v_5; tissue is where cover >= c, the quantile of the requested coverage
// fibres = 4 w_16x128 + 3 w_8x64 + 2 w_4x32 + 3 v_2, where w is noise in flat cells (rows x columns) that is
//          read at row y + 512 v_9 / 65536 instead of y, which bends the fibres
// nuclei = bright ellipses along the fibres, one in three of four cells of 32 x 32
// glass  = 11, or 9 in some blocks of 8 x 8, with a density from v_7: sensor noise and JPEG blocks
// mask   = max(glass, 26 fibres / 65536 - 108, nuclei) where there is tissue, else glass
// marker = the mask opened by a disk of radius 9
//
// The constants make the pair behave like a real one: docs/reference/instances.md.
#include <omp.h>

#include <algorithm>
#include <string>
#include <vector>

#include <macareu/error.hpp>

#include "core/ceil_div.hpp"
#include "instances/families.hpp"
#include "instances/noise.hpp"
#include "instances/opening.hpp"
#include "instances/rows.hpp"

namespace macareu::formula {
namespace {

class slide {
 public:
  slide(const extents& shape, const generate_options& options) : seed_(options.seed), width_(shape.width()) {
    edge_ = edge_for(shape, options.coverage);
  }

  /// Size of the scratch memory of draw_row().
  std::int64_t scratch_size() const { return 4 * width_; }

  void draw_row(std::int64_t y, std::uint8_t* mask, std::int32_t* scratch) const {
    std::fill_n(scratch, scratch_size(), 0);
    auto *cover = scratch, *bend = cover + width_, *fibres = bend + width_, *dirt = fibres + width_;
    add_noise(cover_[0], 10, 4, 0, y, width_, cover);
    add_noise(cover_[1], 8, 2, 0, y, width_, cover);
    add_noise(cover_[2], 5, 1, 0, y, width_, cover);
    add_noise(bend_, bend_shift, 1, 0, y, width_, bend);
    add_noise(grain_, 2, 3, 0, y, width_, fibres);
    add_noise(dirt_, 7, 1, 0, y, width_, dirt);
    for (std::int64_t x = 0; x < width_; ++x) {
      const auto column = static_cast<std::uint32_t>(x);
      // In sixteenths of a pixel, so that bent fibres are smooth.
      const auto row = static_cast<std::uint32_t>(16 * y) + static_cast<std::uint32_t>(bend[x] >> 3);
      fibres[x] += 4 * noise_at(fibres_[0], 8, 7, row, column) + 3 * noise_at(fibres_[1], 7, 6, row, column) +
                   2 * noise_at(fibres_[2], 6, 5, row, column);
    }
    const auto block_row = static_cast<std::uint32_t>(y >> 3);
    for (std::int64_t x = 0; x < width_; ++x) {
      const auto block = blocks_(0, block_row, static_cast<std::uint32_t>(x) >> 3);
      const auto glass = block < 3 * (dirt[x] - 36000) ? 9 : 11;
      const auto tissue = std::clamp((26 * fibres[x] >> 16) - 108, glass, 255);
      mask[x] = static_cast<std::uint8_t>(cover[x] >= edge_ ? tissue : glass);
    }
  }

  /// Draws nuclei with centres in one row of cells; they extend less than half a cell into the next rows.
  void draw_nuclei(std::int64_t cell_row, image& mask) const {
    for (std::int64_t cell = 0; cell * cell_side < width_; ++cell) {
      const auto bits =
          nuclei_.bits(0, static_cast<std::uint32_t>(cell_row), static_cast<std::uint32_t>(cell));
      if (bits % 4 == 0) continue;
      const auto y = cell_row * cell_side + (bits >> 2) % 32, x = cell * cell_side + (bits >> 7) % 32;
      if (cover_at(y, x) < edge_) continue;
      draw_nucleus(y, x, bits >> 12, mask);
    }
  }

  static constexpr std::int64_t cell_side = 32;

 private:
  static constexpr int bend_shift = 9;

  std::int32_t cover_at(std::int64_t y, std::int64_t x) const {
    const auto row = static_cast<std::uint32_t>(y), column = static_cast<std::uint32_t>(x);
    return 4 * noise_at(cover_[0], 10, 10, row, column) + 2 * noise_at(cover_[1], 8, 8, row, column) +
           noise_at(cover_[2], 5, 5, row, column);
  }

  /// The threshold of the cover: a quantile over a grid of at most 512 x 512 pixels.
  std::int32_t edge_for(const extents& shape, int coverage) const {
    const auto rows = std::min<std::int64_t>(shape.height(), 512);
    const auto columns = std::min<std::int64_t>(width_, 512);
    const auto bare = static_cast<std::size_t>(rows * columns * (100 - coverage) / 100);
    if (bare == 0) return 0;
    std::vector<std::int32_t> seen;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        seen.push_back(cover_at(shape.height() * i / rows, width_ * j / columns));
    std::ranges::nth_element(seen, seen.begin() + static_cast<std::ptrdiff_t>(bare));
    return seen[bare];
  }

  /// Descent of the fibres at (y, x) along 32 columns, at most 32 rows.
  std::int64_t slope_at(std::int64_t y, std::int64_t x) const {
    const auto bend = [&](std::int64_t column) {
      return noise_at(bend_, bend_shift, bend_shift, static_cast<std::uint32_t>(y),
                      static_cast<std::uint32_t>(std::max<std::int64_t>(column, 0)));
    };
    return std::clamp((bend(x - 16) - bend(x + 16)) / 128, -32, 32);
  }

  /// Lengths are in quarters of a pixel. Brightness falls from the centre to the rim with the squared
  /// distance.
  void draw_nucleus(std::int64_t y0, std::int64_t x0, std::uint32_t bits, image& mask) const {
    constexpr std::int64_t reach = 15, rim_light = 64;
    const std::int64_t radius = 4 * (3 + bits % 4), length = 1 + (bits >> 2) % 2;
    const std::int64_t light = 64 + (bits >> 3) % 128;
    const auto slope = slope_at(y0, x0);
    const auto height = mask.shape().height();
    auto* pixels = mask.pixels<std::uint8_t>().data();
    for (auto y = std::max(y0 - reach, std::int64_t{0}); y <= std::min(y0 + reach, height - 1); ++y)
      for (auto x = std::max(x0 - reach, std::int64_t{0}); x <= std::min(x0 + reach, width_ - 1); ++x) {
        const auto along = 4 * (x - x0) / length, across = 4 * (y - y0) - slope * (x - x0) / 8;
        const auto inside = radius * radius - along * along - across * across;
        if (inside <= 0) continue;
        const auto value = static_cast<std::uint8_t>(rim_light + light * inside / (radius * radius));
        pixels[y * width_ + x] = std::max(pixels[y * width_ + x], value);
      }
  }

  lattice lattice_for(stream use, std::uint64_t index = 0) const {
    return lattice(key_of(seed_, use, index));
  }

  std::uint64_t seed_;
  std::int64_t width_;
  lattice cover_[3] = {lattice_for(stream::slide, 0), lattice_for(stream::slide, 1),
                       lattice_for(stream::slide, 2)};
  lattice bend_ = lattice_for(stream::direction);
  lattice fibres_[3] = {lattice_for(stream::fibres, 0), lattice_for(stream::fibres, 1),
                        lattice_for(stream::fibres, 2)};
  lattice grain_ = lattice_for(stream::texture), nuclei_ = lattice_for(stream::nuclei);
  lattice dirt_ = lattice_for(stream::glass, 0), blocks_ = lattice_for(stream::glass, 1);
  std::int32_t edge_ = 0;
};

}  // namespace

instance tissue(const extents& shape, const generate_options& options) {
  if (options.coverage != 25 && options.coverage != 50 && options.coverage != 75 && options.coverage != 100)
    throw usage_error("tissue: coverage is 25, 50, 75 or 100 per cent, got " +
                      std::to_string(options.coverage));
  const slide glass(shape, options);
  std::vector<std::int32_t> scratch(static_cast<std::size_t>(glass.scratch_size() * omp_get_max_threads()));
  auto made = mask_only(shape, options, [&](auto, auto y, auto* mask) {
    glass.draw_row(y, mask, scratch.data() + glass.scratch_size() * omp_get_thread_num());
  });
  // Every other row of cells at a time avoids races: nuclei extend into adjacent rows only.
  const auto cell_rows = ceil_div(shape.height(), slide::cell_side);
  for (std::int64_t parity = 0; parity < 2; ++parity)
    for_units((cell_rows + 1 - parity) / 2, 1, options,
              [&](std::int64_t unit) { glass.draw_nuclei(2 * unit + parity, made.mask); });
  made.marker = open_by_disk(made.mask, 9, options);
  return made;
}

}  // namespace macareu::formula

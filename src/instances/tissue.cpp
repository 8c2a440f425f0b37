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
#include <algorithm>
#include <array>
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
  slide(const extents& shape, const generate_options& options)
      : seed_(options.seed), height_(shape.height()), width_(shape.width()) {
    edge_ = edge_for(options.coverage);
  }

  /// Draws a tile that starts at a multiple of `segment` and is no wider.
  void draw(const box& tile, const haloed_rows& mask) const {
    for (auto y = tile.top; y < tile.bottom; ++y) draw_row(y, tile.left, tile.right - tile.left, mask.row(y));
    draw_nuclei(tile, mask);
  }

 private:
  static constexpr int bend_shift = 9;
  static constexpr std::int64_t cell_side = 32, nucleus_reach = 15;

  /// Draws `width` pixels of row y from column `left` on, without nuclei.
  void draw_row(std::int64_t y, std::int64_t left, std::int64_t width, std::uint8_t* row) const {
    std::array<std::int32_t, segment> cover{}, bend{}, fibres{}, dirt{};
    add_noise(cover_[0], 10, 4, 0, y, left, width, cover.data());
    add_noise(cover_[1], 8, 2, 0, y, left, width, cover.data());
    add_noise(cover_[2], 5, 1, 0, y, left, width, cover.data());
    add_noise(bend_, bend_shift, 1, 0, y, left, width, bend.data());
    add_noise(grain_, 2, 3, 0, y, left, width, fibres.data());
    add_noise(dirt_, 7, 1, 0, y, left, width, dirt.data());
    for (std::int64_t i = 0; i < width; ++i) {
      const auto x = static_cast<std::uint32_t>(left + i);
      // In sixteenths of a pixel, so that bent fibres are smooth.
      const auto bent = static_cast<std::uint32_t>(16 * y) + static_cast<std::uint32_t>(bend[i] >> 3);
      fibres[i] += 4 * noise_at(fibres_[0], 8, 7, bent, x) + 3 * noise_at(fibres_[1], 7, 6, bent, x) +
                   2 * noise_at(fibres_[2], 6, 5, bent, x);
    }
    const auto block_row = static_cast<std::uint32_t>(y >> 3);
    for (std::int64_t i = 0; i < width; ++i) {
      const auto block = blocks_(0, block_row, static_cast<std::uint32_t>(left + i) >> 3);
      const auto glass = block < 3 * (dirt[i] - 36000) ? 9 : 11;
      const auto tissue = std::clamp((26 * fibres[i] >> 16) - 108, glass, 255);
      row[left + i] = static_cast<std::uint8_t>(cover[i] >= edge_ ? tissue : glass);
    }
  }

  /// Draws what a tile shows of the nuclei in cells of the image. Neighbouring tiles share no pixels, so
  /// that a nucleus may be drawn in several of them at the same time.
  void draw_nuclei(const box& tile, const haloed_rows& mask) const {
    const auto cells = tile.grown(nucleus_reach, ceil_div(height_, cell_side) * cell_side,
                                  ceil_div(width_, cell_side) * cell_side);
    for (auto row = cells.top / cell_side; row * cell_side < cells.bottom; ++row)
      for (auto column = cells.left / cell_side; column * cell_side < cells.right; ++column) {
        const auto bits =
            nuclei_.bits(0, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
        if (bits % 4 == 0) continue;
        const auto y = row * cell_side + (bits >> 2) % 32, x = column * cell_side + (bits >> 7) % 32;
        if (cover_at(y, x) < edge_) continue;
        draw_nucleus(y, x, bits >> 12, tile, mask);
      }
  }

  std::int32_t cover_at(std::int64_t y, std::int64_t x) const {
    const auto row = static_cast<std::uint32_t>(y), column = static_cast<std::uint32_t>(x);
    return 4 * noise_at(cover_[0], 10, 10, row, column) + 2 * noise_at(cover_[1], 8, 8, row, column) +
           noise_at(cover_[2], 5, 5, row, column);
  }

  /// The threshold of the cover: a quantile over a grid of at most 512 x 512 pixels.
  std::int32_t edge_for(int coverage) const {
    const auto rows = std::min<std::int64_t>(height_, 512);
    const auto columns = std::min<std::int64_t>(width_, 512);
    const auto bare = static_cast<std::size_t>(rows * columns * (100 - coverage) / 100);
    if (bare == 0) return 0;
    std::vector<std::int32_t> seen;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        seen.push_back(cover_at(height_ * i / rows, width_ * j / columns));
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
  void draw_nucleus(std::int64_t y0, std::int64_t x0, std::uint32_t bits, const box& tile,
                    const haloed_rows& mask) const {
    constexpr std::int64_t reach = nucleus_reach, rim_light = 64;
    const std::int64_t radius = 4 * (3 + bits % 4), length = 1 + (bits >> 2) % 2;
    const std::int64_t light = 64 + (bits >> 3) % 128;
    const auto slope = slope_at(y0, x0);
    for (auto y = std::max(y0 - reach, tile.top); y < std::min(y0 + reach + 1, tile.bottom); ++y) {
      auto* row = mask.row(y);
      for (auto x = std::max(x0 - reach, tile.left); x < std::min(x0 + reach + 1, tile.right); ++x) {
        const auto along = 4 * (x - x0) / length, across = 4 * (y - y0) - slope * (x - x0) / 8;
        const auto inside = radius * radius - along * along - across * across;
        if (inside <= 0) continue;
        const auto value = static_cast<std::uint8_t>(rim_light + light * inside / (radius * radius));
        row[x] = std::max(row[x], value);
      }
    }
  }

  lattice lattice_for(stream use, std::uint64_t index = 0) const {
    return lattice(key_of(seed_, use, index));
  }

  std::uint64_t seed_;
  std::int64_t height_, width_;
  lattice cover_[3] = {lattice_for(stream::slide, 0), lattice_for(stream::slide, 1),
                       lattice_for(stream::slide, 2)};
  lattice bend_ = lattice_for(stream::direction);
  lattice fibres_[3] = {lattice_for(stream::fibres, 0), lattice_for(stream::fibres, 1),
                        lattice_for(stream::fibres, 2)};
  lattice grain_ = lattice_for(stream::texture), nuclei_ = lattice_for(stream::nuclei);
  lattice dirt_ = lattice_for(stream::glass, 0), blocks_ = lattice_for(stream::glass, 1);
  std::int32_t edge_ = 0;
};

/// Tiles are `segment` columns wide.
constexpr std::int64_t tissue_tile_rows = 32;

}  // namespace

drawing tissue(const extents& shape, const generate_options& options) {
  if (options.coverage != 25 && options.coverage != 50 && options.coverage != 75 && options.coverage != 100)
    throw usage_error("tissue: coverage is 25, 50, 75 or 100 per cent, got " +
                      std::to_string(options.coverage));
  constexpr int radius = 9;
  const auto width = shape.width();
  const auto draw = [=, glass = slide(shape, options)](const image_region& rows, std::uint8_t* mask,
                                                       std::uint8_t* marker, std::uint32_t*) {
    const box band{rows.first[1], rows.first[1] + rows.size[1], 0, width};
    const auto halo_rows = marker == nullptr ? 0 : opening_halo(radius);
    std::vector<std::uint8_t> halo(2 * halo_rows * width);
    auto* above_end = halo.data() + halo_rows * width;
    const haloed_rows all{band.top, band.bottom, width, above_end, mask, above_end};
    for_tiles(band.grown(halo_rows, shape.height(), width), tissue_tile_rows, segment, options,
              [&](const box& tile) { glass.draw(tile, all); });
    if (marker != nullptr) open_by_disk(all, shape.height(), radius, marker, options);
  };
  return {draw, 2 * opening_halo(radius) * width + opening_memory(radius)};
}

}  // namespace macareu::formula

// Tissue and glass, glands, vessels and follicles, and the texture of stroma.
#include <algorithm>
#include <bit>

#include "instances/noise.hpp"
#include "instances/slide.hpp"

namespace macareu::formula::stained {
namespace {

/// Octaves of the cover are these many times smaller than the first, as powers of 2, with their weights.
constexpr std::array cover_steps{0, 2, 4}, cover_weights{16, 5, 2};
constexpr int ragged_shift = 6;

template <std::size_t count>
std::array<lattice, count> lattices(std::uint64_t seed, use what) {
  return [&]<std::size_t... index>(std::index_sequence<index...>) {
    return std::array<lattice, count>{lattice(key_for(seed, what, index))...};
  }
  (std::make_index_sequence<count>());
}

/// Sections fill large slides as they fill small ones: the first octave has two to four cells a side.
int cover_shift_for(const extents& shape) {
  const auto side =
      static_cast<std::uint64_t>(std::max<std::int64_t>(std::min(shape.height(), shape.width()), 1));
  return std::clamp(static_cast<int>(std::bit_width(side)) - 2, 10, 14);
}

std::int32_t octave(lattice points, int shift, std::int64_t y, std::int64_t x) {
  return noise_at(points, shift, shift, static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(x));
}

/// Eosin of a gland or vessel by the level of its outline, 0 to 1.1 `one`, and a share of cytoplasm's own
/// haematoxylin.
absorbance gland_at(std::int32_t level, std::int32_t grain) {
  const auto soft = (grain - 32768) >> 10;  // -32..32
  if (level < one * 22 / 100 + 6 * soft) return stains(4, 14 + (grain >> 13));
  if (level < one * 30 / 100) return stains(40, 190 + soft);
  if (level < one) return stains(64 + soft / 2, 150 + 2 * soft);
  return stains(20, 250 + 2 * soft);
}

absorbance vessel_at(std::int32_t level, std::int32_t grain) {
  const auto soft = (grain - 32768) >> 10;
  if (level < one * 72 / 100) return stains(4, 30 + (grain >> 12));
  return stains(24, 255 + 3 * soft);
}

}  // namespace

tissue_map::tissue_map(const extents& shape, const generate_options& options)
    : seed_(options.seed),
      cover_shift_(cover_shift_for(shape)),
      cover_(lattices<4>(seed_, use::cover)),
      fibres_(lattices<4>(seed_, use::fibres)),
      zone_(lattices<2>(seed_, use::zone)),
      bend_(lattices<2>(seed_, use::bend)),
      grain_(lattices<2>(seed_, use::grain)),
      dirt_(key_for(seed_, use::dirt)) {
  edge_ = edge_for(shape, options.coverage);
}

std::int32_t tissue_map::cover_at(std::int64_t y, std::int64_t x) const {
  auto sum = octave(cover_[3], ragged_shift, y, x);
  for (std::size_t i = 0; i < cover_steps.size(); ++i)
    sum += cover_weights[i] * octave(cover_[i], cover_shift_ - cover_steps[i], y, x);
  return sum;
}

/// The quantile of the cover that leaves as much glass as asked, over a grid of at most 512 x 512 pixels.
std::int32_t tissue_map::edge_for(const extents& shape, int coverage) const {
  const auto rows = std::min<std::int64_t>(shape.height(), 512);
  const auto columns = std::min<std::int64_t>(shape.width(), 512);
  const auto bare = static_cast<std::size_t>(rows * columns * (100 - coverage) / 100);
  if (bare == 0) return 0;
  std::vector<std::int32_t> seen;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      seen.push_back(cover_at(origin + shape.height() * i / rows, origin + shape.width() * j / columns));
  std::ranges::nth_element(seen, seen.begin() + static_cast<std::ptrdiff_t>(bare));
  return seen[bare];
}

std::int32_t tissue_map::zone_at(std::int64_t y, std::int64_t x) const {
  return (2 * octave(zone_[0], 10, y, x) + octave(zone_[1], 9, y, x)) / 3;
}

std::int32_t tissue_map::slope_at(std::int64_t y, std::int64_t x) const {
  const auto bend = [&](std::int64_t column) {
    return 4 * octave(bend_[0], 10, y, column) + octave(bend_[1], 8, y, column);
  };
  return (bend(x - 16) - bend(x + 16)) / 256;
}

std::int64_t tissue_map::structure_shift_of(std::int64_t row) const {
  return dice(key_for(seed_, use::structures, 1), row, 0).between(0, structure_side - 1);
}

bool tissue_map::structure_in(std::int64_t row, std::int64_t column, structure& found) const {
  dice random(key_for(seed_, use::structures), row, column);
  auto y = row * structure_side + structure_side / 2;
  auto x = column * structure_side + structure_side / 2 + structure_shift_of(row);
  const auto zone = zone_at(y, x), chance = random.between(0, 99);
  using enum structure::kind;
  if (chance < (zone > glands_above ? 88 : 0))
    found.what = gland;
  else if (chance < (zone > glands_above ? 95 : 22))
    found.what = vessel;
  else if (zone >= solid_below && chance >= 82)
    found.what = follicle;
  else
    return false;
  const auto radius = found.what == vessel ? random.between(44, 130) : random.between(105, 164);
  // Small ones may lie anywhere in their cell.
  const auto free = 250 - radius * 6 / 5;
  y += random.between(-free, free);
  x += random.between(-free, free);
  auto& outline = found.outline;
  outline.y = 16 * y;
  outline.x = 16 * x;
  outline.along = 16 * radius;
  outline.across = outline.along * random.between(66, 100) / 100;
  outline.turn(random.between(0, 255));
  outline.bend(random, 300);
  found.row = row;
  found.column = column;
  for (std::int32_t angle = 0; angle < 256; angle += 32)
    if (!covers(y + (radius * 5 / 4 * sine(angle) >> 14), x + (radius * 5 / 4 * cosine(angle) >> 14)))
      return false;
  return covers(y, x);
}

void tissue_map::find_structures(const box& area, std::vector<structure>& found) const {
  found.clear();
  structure each;
  for (auto row = (area.top - structure_reach) >> structure_shift;
       row <= (area.bottom + structure_reach) >> structure_shift; ++row) {
    const auto shift = structure_shift_of(row);
    for (auto column = (area.left - structure_reach - shift) >> structure_shift;
         column <= (area.right + structure_reach - shift) >> structure_shift; ++column)
      if (structure_in(row, column, each)) found.push_back(each);
  }
}

void tissue_map::draw(const canvas& to, const std::vector<structure>& structures) const {
  for (auto y = to.area.top; y < to.area.bottom; ++y) draw_row(y, to.area.left, to.width(), to.row(y));
  for (const auto& part : structures)
    if (part.what != structure::kind::follicle) draw_structure(to, part);
}

void tissue_map::draw_row(std::int64_t y, std::int64_t left, std::int64_t width, std::uint16_t* row) const {
  constexpr std::int64_t most = segment;
  std::array<std::int32_t, most> cover{}, zone{}, bend{}, grain{}, dirt{}, border{};
  for (std::size_t i = 0; i < cover_steps.size(); ++i)
    add_noise(cover_[i], cover_shift_ - cover_steps[i], cover_weights[i], 0, y, left, width, cover.data());
  add_noise(cover_[3], ragged_shift, 1, 0, y, left, width, cover.data());
  add_noise(dirt_, 8, 1, 0, y, left, width, dirt.data());
  if (*std::max_element(cover.begin(), cover.begin() + width) < edge_) {
    for (std::int64_t i = 0; i < width; ++i) put(row + 3 * i, stains(0, dirt[i] >> 13));
    return;
  }
  add_noise(zone_[0], 10, 2, 0, y, left, width, zone.data());
  add_noise(zone_[1], 9, 1, 0, y, left, width, zone.data());
  add_noise(bend_[0], 10, 4, 0, y, left, width, bend.data());
  add_noise(bend_[1], 8, 1, 0, y, left, width, bend.data());
  add_noise(grain_[0], 2, 1, 0, y, left, width, grain.data());
  add_noise(grain_[1], 5, 1, 0, y, left, width, border.data());
  for (std::int64_t i = 0; i < width; ++i) {
    if (cover[i] < edge_) {
      put(row + 3 * i, stains(0, dirt[i] >> 13));
      continue;
    }
    const auto x = static_cast<std::uint32_t>(left + i);
    // In sixteenths of a pixel, so that bent fibres are smooth.
    const auto bent = static_cast<std::uint32_t>(16 * y + (bend[i] >> 4));
    const auto fibres = (4 * noise_at(fibres_[0], 8, 7, bent, x) + 3 * noise_at(fibres_[1], 7, 6, bent, x) +
                         2 * noise_at(fibres_[2], 6, 5, bent, x) + 3 * grain[i]) /
                        12;
    auto eosin = std::max((fibres - 13000) * 9 >> 10, 10);
    // Clefts lie between bundles of fibres.
    const auto cleft = std::abs(noise_at(fibres_[3], 9, 8, bent, x) - 32768);
    if (cleft < 1100) eosin = eosin * (300 + cleft) >> 11;
    // Cytoplasm of solid growth: 0 in stroma, 256 well inside.
    const auto solid = std::clamp((solid_below + 1500 - zone[i] / 3) >> 3, 0, 256);
    auto cell = 150 + ((grain[i] + fibres - 65536) >> 9);
    if (std::abs(border[i] - 32768) < 1800) cell += 50;
    put(row + 3 * i, stains(14 + (56 * solid >> 8), eosin + ((cell - eosin) * solid >> 8)));
  }
}

void tissue_map::draw_structure(const canvas& to, const structure& part) const {
  const blob_levels level(part.outline);
  to.around(part.outline.y / 16, part.outline.x / 16, part.outline.along * 5 / 64,
            [&](auto y, auto x, auto* pixel) {
              const auto at = level(y, x);
              if (at >= one * 108 / 100) return;
              const auto grain = (octave(grain_[0], 2, y, x) + octave(grain_[1], 4, y, x)) / 2;
              put(pixel, part.what == structure::kind::gland ? gland_at(at, grain) : vessel_at(at, grain));
            });
}

}  // namespace macareu::formula::stained

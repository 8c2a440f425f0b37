// Nuclei: where they lie, and how they look.
#include <algorithm>

#include "instances/noise.hpp"
#include "instances/slide.hpp"

namespace macareu::formula::stained {
namespace {

constexpr int grid_shift = 5;
constexpr std::int64_t grid_side = std::int64_t{1} << grid_shift;
/// Cells on each side with nuclei that can be too close.
constexpr std::int64_t neighbourhood = 2;
/// Pixels around the image whose nuclei have slots: find() is asked for at most three times a nucleus' reach,
/// and rows of structures are shifted by up to a cell.
constexpr std::int64_t rim = 128 + tissue_map::structure_side;
constexpr std::int32_t ring_places = 64;

void set_lymphocyte(nucleus& made, dice& random) {
  made.outline.along = random.between(160, 200);
  made.outline.across = made.outline.along * random.between(86, 100) / 100;
  made.outline.bend(random, 130);
  made.haematoxylin = random.between(720, 900);
}

void set_spindle(nucleus& made, dice& random) {
  made.outline.along = random.between(230, 350);
  made.outline.across = random.between(128, 160);
  made.outline.bend(random, 180);
  made.haematoxylin = random.between(520, 720);
}

void set_epithelial(nucleus& made, dice& random, std::int32_t least, std::int32_t most) {
  made.outline.along = random.between(least, most);
  made.outline.across = made.outline.along * random.between(72, 98) / 100;
  made.outline.bend(random, 200);
  made.vesicular = random.per_cent(30);
  made.haematoxylin = made.vesicular ? random.between(440, 560) : random.between(460, 720);
}

bool too_close(const nucleus& a, const nucleus& b) {
  const auto radii = (a.outline.along + a.outline.across + b.outline.along + b.outline.across) / 2;
  const auto least = std::int64_t{radii} * std::min(a.distance, b.distance) / 100;
  const auto dy = a.outline.y - b.outline.y, dx = a.outline.x - b.outline.x;
  return dy * dy + dx * dx < least * least;
}

}  // namespace

slide_cells::cell_range::cell_range(const extents& shape, int shift)
    : row((origin - rim) >> shift),
      column(row),
      rows(static_cast<std::uint64_t>(((origin + shape.height() + rim) >> shift) - row + 1)),
      columns(static_cast<std::uint64_t>(((origin + shape.width() + rim) >> shift) - column + 1)) {}

slide_cells::slide_cells(const extents& shape, const generate_options& options, const tissue_map& tissue,
                         const slide_marks& marks)
    : seed_(options.seed),
      tissue_(tissue),
      marks_(marks),
      coarse_(key_for(seed_, use::chromatin, 0)),
      fine_(key_for(seed_, use::chromatin, 1)),
      structures_(shape, tissue_map::structure_shift),
      grid_(shape, grid_shift),
      ring_slots_(structures_.rows * structures_.columns * ring_places) {}

/// The nucleus that a cell of the grid would have if it were alone.
bool slide_cells::candidate(std::int64_t row, std::int64_t column, const std::vector<structure>& structures,
                            nucleus& made) const {
  dice random(key_for(seed_, use::cells), row, column);
  made = {};
  made.rank = static_cast<std::uint32_t>(random.between(0, (1 << 30) - 1));
  auto& outline = made.outline;
  outline.y = 16 * grid_side * row + random.between(32, 16 * grid_side - 32);
  outline.x = 16 * grid_side * column + random.between(32, 16 * grid_side - 32);
  const auto y = outline.y / 16, x = outline.x / 16;
  if (!tissue_.covers(y, x)) return false;
  made.distance = random.per_cent(8) ? 68 : 96;
  const auto follicle_edge = one * random.between(75, 120) / 100;
  bool in_follicle = false;
  for (const auto& part : structures) {
    const auto level = blob_levels(part.outline)(y, x);
    if (part.what == structure::kind::follicle)
      in_follicle = in_follicle || level < follicle_edge;
    else if (level < (part.what == structure::kind::gland ? one * 150 / 100 : one * 160 / 100))
      return false;
  }
  const auto solid = tissue_.zone_at(y, x) < tissue_map::solid_below;
  if (!random.per_cent(in_follicle ? 97 : solid ? 97 : 38)) return false;
  outline.turn(random.between(0, 255));
  if (in_follicle || random.per_cent(solid ? 4 : 18))
    set_lymphocyte(made, random);
  else if (solid)
    set_epithelial(made, random, 190, 290);
  else {
    set_spindle(made, random);
    outline.aim(tissue_.slope_at(y, x) + random.between(-8, 8), 32);
  }
  made.slot = ring_slots_ + grid_.index(row, column);
  return !marks_.hides(y, x, reach);
}

/// Nuclei at the base of a gland's cells, across its outline.
void slide_cells::add_ring(const structure& gland, const box& centres, std::vector<nucleus>& found) const {
  dice random(key_for(seed_, use::cells, 1), gland.row, gland.column);
  const auto& outline = gland.outline;
  // The ring is 5/6 of the outline; 2 pi is 6434/1024.
  const auto length = (outline.along + outline.across) / 2 * 5 / 6 * 6434 / 1024 / 16;
  const auto count = std::min(length / random.between(25, 29), ring_places);
  const auto pale = random.between(5, 45), first = random.between(0, 255), width = random.between(150, 176);
  for (std::int32_t place = 0; place < count; ++place) {
    const auto angle = first + (256 * place + random.between(-40, 40)) / count;
    const auto target = one * random.between(60, 76) / 100;
    nucleus made;
    auto& shape = made.outline;
    shape.across = width + random.between(-12, 12);
    shape.along = random.between(224, 304);
    shape.bend(random, 160);
    made.vesicular = random.per_cent(pale);
    made.haematoxylin = made.vesicular ? random.between(470, 580) : random.between(540, 720);
    // Bisection along a ray from the gland's centre.
    std::int32_t inside = 0, outside = one * 5 / 4;
    const auto u = cosine(angle), v = sine(angle);
    while (outside - inside > 4) {
      const auto middle = (inside + outside) / 2;
      (outline.level_at(middle * u >> 14, middle * v >> 14) < target ? inside : outside) = middle;
    }
    const auto along = std::int64_t{outline.along} * inside * u >> 26,
               across = std::int64_t{outline.across} * inside * v >> 26;
    shape.y = outline.y + ((along * outline.sin + across * outline.cos) >> 14);
    shape.x = outline.x + ((along * outline.cos - across * outline.sin) >> 14);
    const auto normal_along = std::int64_t{outline.across} * u >> 14,
               normal_across = std::int64_t{outline.along} * v >> 14;
    shape.aim((normal_along * outline.sin + normal_across * outline.cos) >> 14,
              (normal_along * outline.cos - normal_across * outline.sin) >> 14);
    const auto y = shape.y / 16, x = shape.x / 16;
    if (y < centres.top || y >= centres.bottom || x < centres.left || x >= centres.right) continue;
    if (marks_.hides(y, x, reach)) continue;
    made.slot = structures_.index(gland.row, gland.column) * ring_places + static_cast<std::uint64_t>(place);
    found.push_back(made);
  }
}

void slide_cells::find(const box& area, workspace& space) const {
  const box centres{area.top - reach, area.bottom + reach, area.left - reach, area.right + reach};
  const auto top = (centres.top >> grid_shift) - neighbourhood,
             left = (centres.left >> grid_shift) - neighbourhood;
  const auto rows = ((centres.bottom - 1) >> grid_shift) + neighbourhood + 1 - top;
  const auto columns = ((centres.right - 1) >> grid_shift) + neighbourhood + 1 - left;
  tissue_.find_structures(
      {top * grid_side, (top + rows) * grid_side, left * grid_side, (left + columns) * grid_side},
      space.structures);
  space.found.clear();
  for (const auto& part : space.structures)
    if (part.what == structure::kind::gland) add_ring(part, centres, space.found);
  space.grid.resize(rows * columns);
  space.present.resize(rows * columns);
  for (std::int64_t i = 0; i < rows * columns; ++i)
    space.present[i] = candidate(top + i / columns, left + i % columns, space.structures, space.grid[i]);
  const auto stays = [&](std::int64_t row, std::int64_t column) {
    const auto& here = space.grid[row * columns + column];
    for (auto r = row - neighbourhood; r <= row + neighbourhood; ++r)
      for (auto c = column - neighbourhood; c <= column + neighbourhood; ++c) {
        const auto& other = space.grid[r * columns + c];
        if (space.present[r * columns + c] && other.rank < here.rank && too_close(here, other)) return false;
      }
    return true;
  };
  for (auto row = neighbourhood; row < rows - neighbourhood; ++row)
    for (auto column = neighbourhood; column < columns - neighbourhood; ++column)
      if (space.present[row * columns + column] && stays(row, column))
        space.found.push_back(space.grid[row * columns + column]);
  std::ranges::sort(space.found, {}, &nucleus::slot);
}

void slide_cells::draw(const canvas& to, const std::vector<nucleus>& nuclei, std::uint16_t* owners) const {
  std::fill_n(owners, (to.area.bottom - to.area.top) * to.width(), std::uint16_t{0});
  for (std::size_t i = 0; i < nuclei.size(); ++i)
    draw_nucleus(to, nuclei[i], static_cast<std::uint16_t>(i + 1), owners);
}

void slide_cells::draw_nucleus(const canvas& to, const nucleus& each, std::uint16_t index,
                               std::uint16_t* owners) const {
  const blob_levels level(each.outline);
  // A nucleolus lies off the centre.
  const auto nucleolus_y = each.outline.y / 16 + each.rank % 7 - 3,
             nucleolus_x = each.outline.x / 16 + each.rank / 7 % 7 - 3;
  to.around(each.outline.y / 16, each.outline.x / 16, reach, [&](auto y, auto x, auto* pixel) {
    const auto at = level(y, x);
    if (at >= one) return;
    owners[(y - to.area.top) * to.width() + x - to.area.left] = index;
    const auto row = static_cast<std::uint32_t>(y), column = static_cast<std::uint32_t>(x);
    const auto chromatin =
        (3 * noise_at(coarse_, 2, 2, row, column) + 2 * noise_at(fine_, 1, 1, row, column)) / 5;
    // 0.6 to 1.4 of the nucleus' own, more at its rim.
    auto share = 614 + (chromatin * 5 >> 9);
    if (at > one * 3 / 4) share += 120;
    auto dark = each.haematoxylin * share >> 10;
    if (each.vesicular) {
      const auto dy = y - nucleolus_y, dx = x - nucleolus_x;
      if (dy * dy + dx * dx < 10)
        dark = 760;
      else if (at < one * 3 / 5)
        dark = dark * 3 / 4;
    }
    put(pixel, stains(dark, 150));
  });
}

}  // namespace macareu::formula::stained

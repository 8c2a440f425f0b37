// Red blood cells: dense in vessels, some in the stroma.
#include <algorithm>

#include "instances/slide.hpp"

namespace macareu::formula::stained {
namespace {

constexpr int cell_shift = 5;
constexpr std::int64_t cell_side = std::int64_t{1} << cell_shift, cell_reach = 16;

}  // namespace

void slide_cells::draw_red_cells(const canvas& to, const std::vector<structure>& structures) const {
  const auto& area = to.area;
  for (auto row = (area.top - cell_reach) >> cell_shift; row <= (area.bottom + cell_reach) >> cell_shift;
       ++row)
    for (auto column = (area.left - cell_reach) >> cell_shift;
         column <= (area.right + cell_reach) >> cell_shift; ++column) {
      dice random(key_for(seed_, use::red_cells), row, column);
      blob outline;
      outline.y = 16 * cell_side * row + random.between(96, 16 * cell_side - 96);
      outline.x = 16 * cell_side * column + random.between(96, 16 * cell_side - 96);
      const auto y0 = outline.y / 16, x0 = outline.x / 16;
      bool in_vessel = false, in_structure = false;
      for (const auto& part : structures) {
        const auto level = blob_levels(part.outline)(y0, x0);
        in_vessel = in_vessel || (part.what == structure::kind::vessel && level < one * 58 / 100);
        in_structure = in_structure || level < one * 3 / 2;
      }
      if (!random.per_cent(in_vessel      ? 90
                           : in_structure ? 0
                                          : 1) ||
          !tissue_.covers(y0, x0) || marks_.hides(y0, x0, cell_reach))
        continue;
      outline.along = random.between(196, 232);
      outline.across = outline.along * random.between(80, 100) / 100;
      outline.turn(random.between(0, 255));
      outline.bend(random, 120);
      const auto dense = random.between(330, 430);
      const blob_levels level(outline);
      to.around(y0, x0, cell_reach, [&](auto y, auto x, auto* pixel) {
        const auto at = level(y, x);
        if (at >= one) return;
        // Paler in the middle. Haemoglobin absorbs little red light.
        const auto share = dense * (2800 + at / 3) >> 12;
        put(pixel, {share >> 3, share, share * 7 >> 3});
      });
    }
}

}  // namespace macareu::formula::stained

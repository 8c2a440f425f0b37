// What lies on a slide and is no tissue: pen strokes, dust, and areas out of focus.
#include <algorithm>
#include <cstdlib>

#include "instances/noise.hpp"
#include "instances/slide.hpp"

namespace macareu::formula::stained {
namespace {

/// Smaller slides have neither strokes nor areas out of focus.
constexpr std::int64_t least_side = 1024;
/// Distances from a stroke are not told beyond this.
constexpr std::int64_t farthest = 1 << 15;
constexpr int speck_shift = 9;
constexpr std::int64_t speck_reach = 24;

std::int32_t at_random(dice& random, std::int64_t size) {
  return random.between(0, static_cast<std::int32_t>(std::max<std::int64_t>(size - 1, 0)));
}

}  // namespace

slide_marks::slide_marks(const extents& shape, const generate_options& options, const tissue_map& tissue)
    : seed_(options.seed), ink_(key_for(seed_, use::ink, 0)), edge_(key_for(seed_, use::ink, 1)) {
  const auto side = std::min(shape.height(), shape.width());
  if (side < least_side) return;
  dice random(key_for(seed_, use::marks));
  // Blue and green.
  for (const auto& ink : {absorbance{1130, 690, 190}, absorbance{1020, 330, 690}}) {
    stroke best{};
    std::int32_t best_error = 100;
    for (int attempt = 0; attempt < 64; ++attempt) {
      const auto angle = random.between(0, 255);
      stroke pen{.y = origin + at_random(random, shape.height()),
                 .x = origin + at_random(random, shape.width()),
                 .cos = cosine(angle),
                 .sin = sine(angle),
                 .length = side * random.between(30, 50) / 100,
                 .half_width = std::clamp<std::int64_t>(side / 40, 100, 8000),
                 .curve = 0,
                 .ink = ink};
      const auto bow = side * random.between(-8, 8) / 100;
      pen.curve = (4 * bow << 32) / (pen.length * pen.length);
      // The larger part lies on glass, some on tissue, none beyond the rim.
      std::int32_t glass = 0, inside = 0;
      for (int part = 0; part <= 20; ++part) {
        const auto y = pen.y + (pen.length * part / 20 * pen.sin >> 14);
        const auto x = pen.x + (pen.length * part / 20 * pen.cos >> 14);
        glass += tissue.covers(y, x) ? 0 : 1;
        inside +=
            y >= origin && x >= origin && y < origin + shape.height() && x < origin + shape.width() ? 1 : 0;
      }
      const auto error = std::abs(glass - 16) + 2 * (21 - inside);
      if (error >= best_error) continue;
      best_error = error;
      best = pen;
    }
    strokes_.push_back(best);
  }
  for (int area = 0; area < 2; ++area) {
    blob best;
    int best_share = -1;
    for (int attempt = 0; attempt < 16; ++attempt) {
      blob focus;
      focus.y = 16 * (origin + at_random(random, shape.height()));
      focus.x = 16 * (origin + at_random(random, shape.width()));
      focus.along = static_cast<std::int32_t>(16 * side / random.between(9, 12));
      focus.across = focus.along * random.between(60, 100) / 100;
      focus.turn(random.between(0, 255));
      focus.bend(random, 300);
      int share = 0;
      for (std::int32_t angle = 0; angle < 256; angle += 32)
        share += tissue.covers((focus.y + (std::int64_t{focus.along} * sine(angle) >> 15)) / 16,
                               (focus.x + (std::int64_t{focus.along} * cosine(angle) >> 15)) / 16)
                     ? 1
                     : 0;
      if (share <= best_share) continue;
      best_share = share;
      best = focus;
    }
    blurs_.push_back(best);
  }
}

slide_marks::position slide_marks::on(const stroke& pen, std::int64_t y, std::int64_t x) {
  const auto dy = y - pen.y, dx = x - pen.x;
  const auto along = (dx * pen.cos + dy * pen.sin) >> 14, across = (dy * pen.cos - dx * pen.sin) >> 14;
  // The parabola goes on a little beyond the ends.
  const auto bent = std::clamp(along, -pen.length / 4, pen.length * 5 / 4);
  return {along, across - (bent * (pen.length - bent) * pen.curve >> 32)};
}

/// Pixels from the edge of a stroke with round ends, at most `farthest`; negative inside.
std::int64_t slide_marks::outside(const stroke& pen, const position& at) {
  const auto beyond = std::max<std::int64_t>({-at.along, at.along - pen.length, 0});
  if (beyond > farthest || std::abs(at.off) > farthest) return farthest;
  return (beyond == 0 ? std::abs(at.off) : root(beyond * beyond + at.off * at.off)) - pen.half_width;
}

bool slide_marks::speck_in(std::int64_t row, std::int64_t column, blob& speck, std::int32_t& dark) const {
  constexpr std::int64_t side = std::int64_t{1} << speck_shift;
  dice random(key_for(seed_, use::dust), row, column);
  if (!random.per_cent(12)) return false;
  speck.y = 16 * (row * side + speck_reach) + random.between(0, 16 * (side - 2 * speck_reach));
  speck.x = 16 * (column * side + speck_reach) + random.between(0, 16 * (side - 2 * speck_reach));
  speck.along = random.between(32, 16 * 17);
  speck.across = std::max(speck.along * random.between(25, 100) / 100, 24);
  speck.turn(random.between(0, 255));
  speck.bend(random, 380);
  dark = random.between(450, 1200);
  return true;
}

bool slide_marks::hides(std::int64_t y, std::int64_t x, std::int64_t reach) const {
  for (const auto& pen : strokes_)
    if (outside(pen, on(pen, y, x)) < reach + pen.half_width / 4) return true;
  blob speck;
  std::int32_t dark = 0;
  const auto near = reach + speck_reach;
  for (auto row = (y - near) >> speck_shift; row <= (y + near) >> speck_shift; ++row)
    for (auto column = (x - near) >> speck_shift; column <= (x + near) >> speck_shift; ++column) {
      if (!speck_in(row, column, speck, dark)) continue;
      const auto dy = y - speck.y / 16, dx = x - speck.x / 16, far = reach + speck.along * 5 / 64 + 2;
      if (dy * dy + dx * dx < far * far) return true;
    }
  return false;
}

void slide_marks::draw(const canvas& to) const {
  const auto& area = to.area;
  blob speck;
  std::int32_t dark = 0;
  for (auto row = area.top >> speck_shift; row <= area.bottom >> speck_shift; ++row)
    for (auto column = area.left >> speck_shift; column <= area.right >> speck_shift; ++column) {
      if (!speck_in(row, column, speck, dark)) continue;
      const blob_levels level(speck);
      to.around(speck.y / 16, speck.x / 16, speck_reach, [&](auto y, auto x, auto* pixel) {
        // Dust lies above the focus, so that its rim is soft.
        const auto share = std::clamp(2 * (one - level(y, x)), 0, one);
        for (int c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint16_t>(pixel[c] + (dark * share >> 12));
      });
    }
  for (const auto& pen : strokes_) draw_stroke(to, pen);
}

void slide_marks::draw_stroke(const canvas& to, const stroke& pen) const {
  const auto& area = to.area;
  const auto roughness = pen.half_width / 8;
  // From the middle of the area to a corner `outside` changes by less than three times their distance.
  const auto corner = 5 * std::max(area.bottom - area.top, to.width()) / 2;
  const auto middle = on(pen, (area.top + area.bottom) / 2, (area.left + area.right) / 2);
  if (outside(pen, middle) > corner + roughness) return;
  for (auto y = area.top; y < area.bottom; ++y) {
    auto* pixel = to.row(y);
    for (auto x = area.left; x < area.right; ++x, pixel += 3) {
      const auto at = on(pen, y, x);
      const auto edge = outside(pen, at);
      if (edge >= roughness) continue;
      const auto rough = noise_at(edge_, 6, 6, static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(x));
      const auto depth = (rough - 32768) * roughness / 65536 - edge;
      if (depth <= 0) continue;
      // Bristles leave streaks along the stroke; ink gathers at the rim.
      const auto row = static_cast<std::uint32_t>(origin + at.off);
      const auto column = static_cast<std::uint32_t>(origin + at.along);
      const auto streak = (2 * noise_at(ink_, 3, 8, row, column) + noise_at(edge_, 5, 9, row, column)) / 3;
      auto share = std::int64_t{1400} + (streak >> 5);
      if (depth < roughness) share += 700;
      share = std::min(share, share * depth / 2);
      for (int c = 0; c < 3; ++c)
        pixel[c] = static_cast<std::uint16_t>(pixel[c] + (pen.ink[c] * share >> 12));
    }
  }
}

bool slide_marks::blurs(const box& area) const {
  for (const auto& focus : blurs_) {
    const auto far = focus.along * 5 / 64 + 1;
    const auto y = focus.y / 16, x = focus.x / 16;
    if (y + far >= area.top && y - far < area.bottom && x + far >= area.left && x - far < area.right)
      return true;
  }
  return false;
}

std::int32_t slide_marks::blur_at(std::int64_t y, std::int64_t x) const {
  std::int32_t share = 0;
  for (const auto& focus : blurs_)
    share = std::max(share, std::clamp(2 * (one - blob_levels(focus)(y, x)), 0, one));
  return share;
}

}  // namespace macareu::formula::stained

#include "slides/tissue/tissue.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <macareu/catalogue.hpp>

#include "operators/common/logarithm.hpp"

namespace macareu::slides {
namespace {

using densities = std::array<double, 3>;

/// Optical densities of bytes, given the glass.
class density_table {
 public:
  explicit density_table(const overview& slide) {
    const auto pixels = slide.colour.pixels<std::uint8_t>();
    constexpr double share = 0.99, least_white = 220;
    const double of_tenth = -logarithm(10);
    for (std::size_t c = 0; c < 3; ++c) {
      std::array<std::size_t, 256> counts{};
      for (auto i = c; i < pixels.size(); i += 3) ++counts[pixels[i]];
      std::size_t below = 0, white = 0;
      while (white < 255 &&
             static_cast<double>(below += counts[white]) < share * static_cast<double>(pixels.size() / 3))
        ++white;
      const auto glass = std::max(static_cast<double>(white), least_white);
      for (std::size_t v = 0; v < 256; ++v)
        of_[c][v] = std::max(logarithm(std::max<double>(static_cast<double>(v), 1) / glass) / of_tenth, 0.0);
    }
  }
  densities operator()(const std::uint8_t* pixel) const {
    return {of_[0][pixel[0]], of_[1][pixel[1]], of_[2][pixel[2]]};
  }

 private:
  std::array<std::array<double, 256>, 3> of_;
};

/// Stains absorb green most, or blue (DAB). Glass absorbs nothing, dust and shadows all colours alike.
bool is_stained(const densities& od, double least, double least_chroma) {
  const auto [low, high] = std::ranges::minmax(od);
  return high > least && high - low > least_chroma;
}

/// Colours that no stain has: blue, green and yellow.
bool is_foreign(const densities& od) {
  const auto& [red, green, blue] = od;
  return red > 1.25 * green || green < 0.8 * std::min(red, blue) || green < 0.4 * blue;
}

bool is_ink(const densities& od) {
  const auto& [red, green, blue] = od;
  const auto [low, high] = std::ranges::minmax(od);
  const bool black = high > 0.7 && low > 0.75 * high;
  // Eosin lets less red through, or absorbs little blue; red cells are less dense.
  const bool red_pen = green > 0.6 && red < 0.18 * green && blue > 0.6 * green;
  return black || red_pen || (high > 0.15 && is_foreign(od));
}

image run(std::string_view name, const image& mask, const arguments& given) {
  return std::move(
      run_operator(*find_operator(name), std::array<const_image_view, 1>{mask}, given, {.device = "cpu"})[0]);
}

image grown(const image& mask, double radius) { return run("dilation", mask, {{"radius", number(radius)}}); }

image without_small(const image& mask, double least) {
  return run("remove_small", mask, {{"min_size", number(std::ceil(std::max(least, 1.0)))}});
}

image without(const image& mask, const image& other) {
  auto result = copy_of(mask);
  const auto pixels = result.pixels<bool>();
  const auto dropped = other.pixels<bool>();
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = pixels[i] && !dropped[i];
  return result;
}

template <class Test>
image mask_of(const overview& slide, const Test& test) {
  image mask(dtype::boolean, slide.colour.shape());
  const auto pixels = slide.colour.pixels<std::uint8_t>();
  const auto to = mask.pixels<bool>();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = test(&pixels[3 * i]);
  return mask;
}

double share_of(const image& mask) {
  const auto pixels = mask.pixels<bool>();
  return static_cast<double>(std::ranges::count(pixels, true)) / static_cast<double>(pixels.size());
}

/// The median of each channel over the four corners.
std::array<int, 3> corner_colour(const overview& slide) {
  const auto& shape = slide.colour.shape();
  const auto high = std::max<std::int64_t>(shape.height() / 16, 1),
             wide = std::max<std::int64_t>(shape.width() / 16, 1);
  const auto pixels = slide.colour.pixels<std::uint8_t>();
  std::array<std::vector<std::uint8_t>, 3> values;
  for (std::int64_t y = 0; y < shape.height(); ++y) {
    if (y >= high && y < shape.height() - high) continue;
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      if (x >= wide && x < shape.width() - wide) continue;
      for (std::size_t c = 0; c < 3; ++c)
        values[c].push_back(pixels[static_cast<std::size_t>(3 * (y * shape.width() + x)) + c]);
    }
  }
  std::array<int, 3> medians{};
  for (std::size_t c = 0; c < 3; ++c) {
    const auto middle = values[c].begin() + std::ssize(values[c]) / 2;
    std::ranges::nth_element(values[c], middle);
    medians[c] = *middle;
  }
  return medians;
}

double narrow_side(const overview& slide) {
  return static_cast<double>(std::min(slide.colour.shape().height(), slide.colour.shape().width()));
}

bool is_glass(const std::array<int, 3>& colour) {
  constexpr int bright = 190, grey = 25;
  const auto [low, high] = std::ranges::minmax(colour);
  return low > bright && high - low < grey;
}

}  // namespace

std::optional<std::string> why_no_slide(const overview& slide) {
  constexpr int dark = 60;
  const auto corners = corner_colour(slide);
  const auto colour = "median of its corners " + std::to_string(corners[0]) + ", " +
                      std::to_string(corners[1]) + ", " + std::to_string(corners[2]);
  if (std::ranges::max(corners) < dark)
    return "it is dark where a slide has glass or tissue (" + colour + ")";
  const bool glass = is_glass(corners);
  const density_table density(slide);
  constexpr double least = 0.1, least_chroma = 0.06, least_share = 0.05;
  const auto coloured =
      mask_of(slide, [&](const auto* p) { return is_stained(density(p), least, least_chroma); });
  auto foreign = mask_of(slide, [&](const auto* p) {
    const auto od = density(p);
    return is_stained(od, least, least_chroma) && is_foreign(od);
  });
  if (!glass && share_of(coloured) < least_share)
    return "it has neither glass in its corners nor colours of stains (" + colour + ")";
  const auto of_stains = share_of(coloured) - share_of(foreign);
  // Strokes of pens are narrow beside the glass around them.
  if (glass) foreign = run("opening", foreign, {{"radius", number(std::max(narrow_side(slide) / 32, 1.0))}});
  const auto others = share_of(foreign);
  if (others > of_stains && (!glass || others > least_share))
    return std::to_string(std::lround(100 * others / (others + of_stains))) +
           " % of its saturated pixels have colours that no stain has";
  return std::nullopt;
}

tissue_mask find_tissue(const overview& slide, double mpp) {
  constexpr double least = 0.035, least_chroma = 0.02;
  constexpr double least_ink_um2 = 2e3, large_ink_um2 = 2e4, least_part_um2 = 2e4, largest_hole_um2 = 1e5,
                   tile_um2 = 1e6;
  const auto side = mpp * static_cast<double>(slide.factor);
  const auto cells = [&](double um2) { return um2 / (side * side); };
  const auto all = static_cast<double>(slide.colour.shape().pixels());
  const density_table density(slide);
  auto tissue = mask_of(slide, [&](const auto* p) {
    const auto od = density(p);
    return is_stained(od, least, least_chroma) && !is_ink(od);
  });
  // Strokes of a pen are large beside clumps of dark nuclei; a small image has parts of them.
  const auto least_ink = std::clamp(all / 32, cells(least_ink_um2), cells(large_ink_um2));
  const auto ink =
      grown(without_small(mask_of(slide, [&](const auto* p) { return is_ink(density(p)); }), least_ink), 2);
  // A field of view without glass: pale parts between cells are tissue too.
  if (all < cells(tile_um2) && share_of(tissue) > 0.25 && !is_glass(corner_colour(slide))) {
    std::ranges::fill(tissue.pixels<bool>(), true);
    return {without(tissue, ink), slide.factor};
  }
  tissue = run("closing", tissue, {{"radius", number(2)}});
  const auto filled = run("fill_holes", tissue, {});
  const auto holes = without_small(without(filled, tissue), cells(largest_hole_um2));
  tissue = without(without(filled, holes), ink);
  tissue = without_small(tissue, std::min(cells(least_part_um2), all / 16));
  return {grown(tissue, 2), slide.factor};
}

std::vector<shape> tissue_outlines(const tissue_mask& tissue, const extents& part) {
  const auto labels = run("label", tissue.mask, {{"connectivity", connectivity(4)}});
  auto all = compute_shapes(*find_operator("contours"), std::array<const_image_view, 1>{labels});
  for (auto& one : all)
    for (auto& each : one.parts)
      for (auto& ring : each.rings)
        for (auto& at : ring)
          at = {std::min(at.x * tissue.factor, part.width()), std::min(at.y * tissue.factor, part.height())};
  return all;
}

double area_of(const shape& outline) {
  std::int64_t doubled = 0;
  for (const auto& part : outline.parts)
    for (const auto& ring : part.rings) doubled += doubled_area(ring);
  return static_cast<double>(doubled) / 2;
}

}  // namespace macareu::slides

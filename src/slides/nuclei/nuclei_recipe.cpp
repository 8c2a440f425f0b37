#include "slides/nuclei/nuclei_recipe.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <macareu/fixed_point.hpp>

namespace macareu::slides {
namespace {

using list = std::vector<number>;

list listed(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

/// A disc of pixels around the middle one, slightly fuller than x^2 + y^2 <= r^2.
image disc(double radius) {
  const auto n = static_cast<std::int64_t>(radius);
  image footprint(dtype::u8, {2 * n + 1, 2 * n + 1});
  auto* pixel = footprint.pixels<std::uint8_t>().data();
  for (auto y = -n; y <= n; ++y)
    for (auto x = -n; x <= n; ++x) *pixel++ = static_cast<double>(x * x + y * y) <= radius * radius + 1;
  return footprint;
}

/// Minus the Laplacian of the nearest pixels, times the square of a scale: above 0 on blobs.
image blob_kernel(double sigma) {
  image kernel(dtype::f32, {3, 3});
  const auto s = static_cast<float>(sigma * sigma);
  const float weights[9]{0, -s, 0, -s, 4 * s, -s, 0, -s, 0};
  std::ranges::copy(weights, kernel.pixels<float>().begin());
  return kernel;
}

}  // namespace

slide_numbers numbers_of(const value_counts& densities) {
  slide_numbers slide;
  slide.threshold = otsu_threshold(densities, percentile(densities, 99.5));
  slide.means = means_beside(densities, slide.threshold);
  return slide;
}

picture labels_in_u32(steps& on, picture labels) {
  if (labels.form().type == dtype::u32) return labels;
  return on.keep(on.local("cast", {{"type", "u32"}}, {std::move(labels)}));
}

picture nuclei_recipe::gaussian(const picture& of, double sigma, const char* type) const {
  return on_.local("gaussian", {{"sigma", list{sigma}}, {"border", "mirror"}, {"type", type}}, {of},
                   {.margin = static_cast<std::int64_t>(4 * sigma + 0.5)});
}

picture nuclei_recipe::blobs(const picture& of, double sigma) const {
  std::vector<image> kernel;
  kernel.push_back(blob_kernel(sigma));
  return on_.local("convolve", {{"border", "mirror"}}, {gaussian(of, sigma)}, {.margin = 1},
                   std::move(kernel));
}

picture nuclei_recipe::flat(std::string_view name, const picture& of, double radius) const {
  std::vector<image> footprint;
  footprint.push_back(disc(radius));
  return on_.local(name, {}, {of}, {.margin = 2 * static_cast<std::int64_t>(radius)}, std::move(footprint));
}

picture nuclei_recipe::density(const picture& rgb, const std::array<double, 3>& white) const {
  // DAB hides the haematoxylin of positive nuclei, so both stains show nuclei.
  const bool dab = o_.stain_set == "h-dab";
  arguments given{{"stains", dab ? "h_dab" : "h_e"},
                  {"give", dab ? "sum" : "first"},
                  {"white", list{white[0], white[1], white[2]}}};
  if (!o_.stains.empty()) given["vectors"] = listed(o_.stains);
  return on_.local("stain_density", given, {rgb});
}

picture nuclei_recipe::filled_density(const picture& density) {
  const auto smooth = on_.keep(gaussian(density, pixels(o_.smooth), "same"));
  const auto filled = on_.whole("fill_holes", {}, {smooth});
  const auto half = on_.local("reduce", {{"factor", list{2}}}, {smooth}, {.shrink = 2});
  const auto closed = enlarged(flat("closing", half, pixels(o_.hole) / 2), 2, density.form().shape);
  return on_.keep(on_.local("pale_centres", {}, {smooth, filled, closed}));
}

picture nuclei_recipe::enlarged(const picture& of, std::int64_t times, const extents& shape) const {
  return on_.local("enlarge", {{"size", list{shape.height(), shape.width()}}}, {of},
                   {.margin = 1, .grow = times});
}

picture nuclei_recipe::local_level(const picture& f, const slide_numbers& slide) {
  constexpr std::int64_t quarter = 4;
  const auto small = [&](const picture& of) {
    return on_.local("reduce", {{"factor", list{quarter}}}, {of}, {.shrink = quarter});
  };
  const auto above = [&](bool share) {
    return on_.local("part_above", {{"value", number(slide.threshold)}, {"share", share}}, {f});
  };
  // Small images are kept: the Gaussian reaches further than other steps.
  const auto parts = on_.keep({small(f), small(above(false)), small(above(true))});
  const auto mean = [&](const picture& of) { return gaussian(of, pixels(o_.local) / quarter); };
  const auto level = on_.keep(on_.local("local_level",
                                        {{"weight", number(o_.local_weight)},
                                         {"upper", number(slide.means.upper)},
                                         {"lower", number(slide.means.lower)},
                                         {"least", number(0.001 * steps_per_density)}},
                                        {mean(parts[0]), mean(parts[1]), mean(parts[2])}));
  return enlarged(level, quarter, f.form().shape);
}

picture nuclei_recipe::foreground(const picture& f, const picture& level) {
  const auto dense =
      on_.local("stained_foreground", {{"share", number(o_.local_share)}, {"valley", number(o_.valley)}},
                {f, level, blobs(f, pixels(o_.valley_scale))});
  const auto opened = flat("opening", dense, pixels(o_.opening));
  const auto filled = on_.whole("fill_holes", {}, {on_.keep(opened)});
  // An object with fewer pixels than this lies within as many pixels of each of its own.
  const double least = std::ceil(area(o_.min_blob));
  return on_.keep(on_.local("remove_small", {{"min_size", number(least)}}, {filled},
                            {.margin = static_cast<std::int64_t>(least)}));
}

picture nuclei_recipe::landscape(const picture& density, const picture& f, const picture& fg,
                                 double threshold) const {
  const double smooth = pixels(o_.distance_smooth);
  // Around a pixel with a longer distance all are beyond the cap.
  const double longest = std::ceil(pixels(o_.distance_cap) + 3 * (4 * smooth + 1));
  const auto distance = on_.local("distance_transform", {{"max_distance", number(longest)}}, {fg},
                                  {.margin = static_cast<std::int64_t>(longest) + 1});
  return on_.local("nuclear_landscape",
                   {{"pixel", number(mpp_)},
                    {"cap", number(o_.distance_cap)},
                    {"density_weight", number(o_.density_weight / threshold)},
                    {"blob_weight", number(o_.blob_weight / threshold)}},
                   {gaussian(distance, smooth), gaussian(f, pixels(o_.density_smooth)),
                    blobs(density, pixels(o_.blob_scale)), fg});
}

picture nuclei_recipe::parts(picture land, const picture& fg, const picture& f) {
  // Every image is released where the next one is there.
  auto found = on_.whole("h_minima", {{"h", number(std::rint(o_.seed_height * steps_per_height))}}, {land});
  found = on_.whole("label", {}, {found});
  if (on_.count() == 0) return found;
  found = on_.whole("watershed", {{"connectivity", connectivity(8)}}, {land, found, fg});
  land = {};
  found = on_.whole("merge_regions",
                    {{"max_area", number(area(o_.merge_max))},
                     {"small_area", number(area(o_.merge_small))},
                     {"small_weight", number(o_.merge_small_weight)},
                     {"border_weight", number(o_.merge_dip_weight)}},
                    {found, f});
  return sized(std::move(found));
}

picture nuclei_recipe::sized(picture objects) {
  const auto connected = on_.whole("label", {{"values", true}, {"connectivity", connectivity(4)}}, {objects});
  objects = {};
  return on_.whole("relabel",
                   {{"min_size", number(area(o_.min_area))}, {"max_size", number(area(o_.max_area))}},
                   {connected});
}

picture nuclei_recipe::refined(picture parts, const picture& fg, const picture& f) {
  const auto count = static_cast<std::size_t>(on_.count());
  if (count == 0) return parts;
  const double reach = std::ceil(pixels(std::max(o_.ring, o_.grow)));
  const auto near =
      on_.local_outputs("distance_transform", {{"invert", true}, {"max_distance", number(reach)}}, {parts},
                        {.margin = static_cast<std::int64_t>(reach) + 1}, {0, 2});
  parts = {};
  const auto &distance = near[0], &zone = near[1];
  // Objects 1..n, and their rings n+1..2n. Labels take little room in work files, and several steps read
  // them.
  const auto kept =
      on_.keep({on_.local("labels_between",
                          {{"beyond", number(pixels(o_.ring_gap))},
                           {"up_to", number(pixels(o_.ring))},
                           {"where", "outside"},
                           {"offset", number(count)}},
                          {zone, distance, fg}),
                on_.local("labels_between", {{"up_to", number(pixels(o_.grow))}}, {zone, distance, fg})});
  const auto &rings = kept[0], &grown = kept[1];
  struct sums {
    double number = 0, total = 0;
    double mean() const { return total / std::max(number, 1.0); }
  };
  std::vector<sums> all(2 * count + 1);
  const auto rows = on_.measured("measure", {{"columns", "intensity"}}, {rings, f});
  const auto &label = rows["label"], &number_of = rows["num_pixels"], &total = rows["intensity_sum"];
  for (std::size_t row = 0; row < rows.rows(); ++row)
    all[static_cast<std::size_t>(label[row].to_double())] = {number_of[row].to_double(),
                                                             total[row].to_double()};
  constexpr double fewest = 20;  // pixels of a ring; without one the object stays as it is
  list levels;
  for (std::size_t i = 1; i <= count; ++i) {
    const auto &inner = all[i], &outer = all[count + i];
    levels.push_back(outer.number > fewest ? outer.mean() + o_.refine * (inner.mean() - outer.mean()) : 0.0);
  }
  const auto dense = on_.local("above_own_level", {{"levels", levels}}, {grown, f});
  const auto opened = on_.keep(flat("opening", dense, pixels(o_.refine_opening)));
  const auto solid = on_.whole("fill_holes", {}, {opened});
  // All distances count: labels themselves stand for them.
  return sized(on_.keep(on_.local("labels_between", {{"where", "inside"}}, {grown, grown, solid})));
}

picture nuclei_recipe::labels(picture density, const picture& f, const slide_numbers& slide) {
  if (!(slide.threshold > 0)) return labels_in_u32(on_, on_.whole("label", {}, {f}));  // no stain: no objects
  const auto fg = foreground(f, local_level(f, slide));
  auto land = landscape(std::exchange(density, {}), f, fg, slide.threshold);
  // The landscape is highest between parts of the foreground, which are flooded apart.
  auto found = on_.by_objects(fg, {land, fg, f}, [&](steps& inside, const std::vector<picture>& of) {
    return nuclei_recipe(inside, o_, mpp_).parts(of[0], of[1], of[2]);
  });
  if (!found) {
    land = on_.keep(land);
    found = labels_in_u32(on_, parts(std::move(land), fg, f));
  }
  return labels_in_u32(on_, refined(std::move(found), fg, f));
}

}  // namespace macareu::slides

// Carries what the nearest site has to every pixel, axis by axis like distances: the first place on the last
// axis wins a tie, then the first on the axis before it.
#pragma once

#include <cstdint>

#include "core/plain_pixels.hpp"
#include "rules/distance.hpp"
#include "rules/distance_plan.hpp"

namespace macareu {

template <class Carried>
struct carried_images {
  view<Carried> out;
  view<const Carried> own;  // what a site has
  Carried nothing{};        // where there is no site
};
template <class Carried>
carried_images(view<Carried>, view<const Carried>) -> carried_images<Carried>;

template <class Value, class Steps, class Carried, class Engine>
void carry_further(Engine& engine, const distance_plan& plan, view<const Steps> steps,
                   const carried_images<Carried>& images, view<const Carried> carried) {
  using from_counts = distance_pass<Value, from_steps<Value>, to_values<Value>>;
  const auto range = range_of<Value>(plan);
  const auto along_x = cost_of<Value>(plan, line_axis::x), along_y = cost_of<Value>(plan, line_axis::y);
  if (plan.rank == 2) {
    const from_counts pass{along_x, plan.join, range, {along_y}, {}};
    return engine.carry(pass, line_axis::x, images.nothing, images.out, steps, carried);
  }
  const auto values = engine.temporary(view<const Value>{nullptr, steps.depth, steps.height, steps.width});
  const auto further = engine.temporary(carried);
  const from_counts pass{along_y, plan.join, range, {cost_of<Value>(plan, line_axis::z)}, {}};
  engine.line(pass, line_axis::y, values.pixels(), steps);
  engine.carry(pass, line_axis::y, images.nothing, further.pixels(), steps, carried);
  const distance_pass<Value, from_values<Value>, to_values<Value>> last{along_x, plan.join, range, {}, {}};
  engine.carry(last, line_axis::x, images.nothing, images.out, view<const Value>(values.pixels()),
               view<const Carried>(further.pixels()));
}

template <class Steps, class T, class Carried, class Engine>
void carry_from(Engine& engine, const distance_plan& plan, const steps_to_site<Steps>& count,
                view<const T> image, const carried_images<Carried>& images) {
  const auto first = plan.rank == 3 ? line_axis::z : line_axis::y;
  const auto steps = engine.temporary(view<const Steps>{nullptr, image.depth, image.height, image.width});
  const auto carried = engine.temporary(images.own);
  engine.line(count, first, steps.pixels(), image);
  engine.carry(count, first, images.nothing, carried.pixels(), image, images.own);
  const view<const Steps> counted = steps.pixels();
  const view<const Carried> along = carried.pixels();
  if (plan.fits(largest_u32))
    carry_further<std::uint32_t>(engine, plan, counted, images, along);
  else if (plan.fits(largest_u64))
    carry_further<std::uint64_t>(engine, plan, counted, images, along);
  else
    carry_further<double>(engine, plan, counted, images, along);
}

template <class T, class Carried, class Engine>
void carry_nearest(Engine& engine, const distance_plan& plan, bool sites_are_zero, view<const T> image,
                   const carried_images<Carried>& images) {
  if (image.depth <= no_steps<std::uint16_t> && image.height <= no_steps<std::uint16_t>)
    carry_from(engine, plan, steps_to_site<std::uint16_t>{sites_are_zero}, image, images);
  else
    carry_from(engine, plan, steps_to_site<std::uint32_t>{sites_are_zero}, image, images);
}

/// Of a pixel, in the order of the array.
struct own_index {
  std::int64_t height, width;
  MACAREU_HD std::int64_t operator()(site p) const { return (p.z * height + p.y) * width + p.x; }
};

/// Of the nearest site; -1 where there is none.
template <class T, class Engine>
void nearest_indices(Engine& engine, const distance_plan& plan, bool sites_are_zero, view<const T> image,
                     view<std::int64_t> out) {
  const auto own = engine.temporary(view<const std::int64_t>(out));
  engine.map(own_index{image.height, image.width}, own.pixels());
  carry_nearest(engine, plan, sites_are_zero, image, carried_images<std::int64_t>{out, own.pixels(), -1});
}

/// Also where the parameters are checked against the shape.
inline dtype site_index_type(const arguments& all, dtype, const extents& shape) {
  plan_distances("nearest_site", all, shape);
  return dtype::i64;
}

}  // namespace macareu

// Writes distances to the nearest site to an image: exactly, by lines along each axis in turn, or by
// propagation between neighbours.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/neighbourhood.hpp"
#include "operators/distance/distance_plan.hpp"
#include "operators/distance/line_distance.hpp"
#include "operators/distance/propagation.hpp"
#include "patterns/images.hpp"

namespace macareu {

/// Result without a site within the limit.
template <class Out>
inline constexpr Out far_away = std::numeric_limits<Out>::has_infinity ? std::numeric_limits<Out>::infinity()
                                                                       : std::numeric_limits<Out>::max();

/// Signed distances. One of the two distances of a pixel is 0.
struct outside_minus_inside {
  template <class Out>
  MACAREU_HD Out operator()(site, Out outside, Out inside) const {
    return inside > Out{0} ? -inside : outside;
  }
};

/// write(rule that converts distances to pixels of type Out).
template <class Value, class Out, class Write>
void with_result(const distance_plan& plan, Write&& write) {
  if constexpr (std::is_floating_point_v<Out>)
    if (plan.root) return write(to_root<Value, Out>{far_away<Out>});
  write(to_distance<Value, Out>{far_away<Out>, plan.unit});
}

/// compute(type) with the narrowest type for the plan. Integer pixels are computed from integers.
template <class Out, class Steps, class Compute>
void with_value_type(const distance_plan& plan, Compute&& compute) {
  if (plan.fits(largest_u32)) return compute(std::type_identity<std::uint32_t>{});
  if constexpr (std::is_floating_point_v<Out>)
    if (!plan.fits(largest_u64)) return compute(std::type_identity<double>{});
  if constexpr (is_with_u64<Steps>) compute(std::type_identity<std::uint64_t>{});
}

template <class Value, class Lift, class Result>
along<distance_pass<Value, Lift, Result>> last_line(const distance_plan& plan, const Lift& from,
                                                    const Result& to) {
  return {line_axis::x, {cost_of<Value>(plan, line_axis::x), plan.join, range_of<Value>(plan), from, to}};
}

template <class Value, class Steps, class Image, class OutImage, class Engine>
void add_axes(Engine& engine, const distance_plan& plan, const along<steps_to_site<Steps>>& count,
              const Image& image, const OutImage& out) {
  using Out = pixel_of<OutImage>;
  const auto along_y = cost_of<Value>(plan, line_axis::y);
  with_result<Value, Out>(plan, [&](const auto& to) {
    if (plan.rank == 2)
      return engine.lines(out, image, count, last_line<Value>(plan, from_steps<Value>{along_y}, to));
    const along middle{
        line_axis::y,
        distance_pass<Value, from_steps<Value>, to_values<Value>>{
            along_y, plan.join, range_of<Value>(plan), {cost_of<Value>(plan, line_axis::z)}, {}}};
    engine.lines(out, image, count, middle, last_line<Value>(plan, from_values<Value>{}, to));
  });
}

template <class Steps, class Image, class OutImage, class Engine>
void count_steps(Engine& engine, const distance_plan& plan, bool sites_are_zero, const Image& image,
                 const OutImage& out) {
  const along count{plan.rank == 3 ? line_axis::z : line_axis::y, steps_to_site<Steps>{sites_are_zero}};
  with_value_type<pixel_of<OutImage>, Steps>(plan, [&]<class Value>(std::type_identity<Value>) {
    add_axes<Value>(engine, plan, count, image, out);
  });
}

template <class Image, class OutImage, class Engine>
void exact_distances(Engine& engine, const distance_plan& plan, bool sites_are_zero, const Image& image,
                     const OutImage& out) {
  const auto& whole = image.whole();
  const bool is_short = (plan.rank == 3 ? whole.depth : whole.height) <= no_steps<std::uint16_t>,
             is_float = std::is_floating_point_v<pixel_of<OutImage>> && !plan.fits(largest_u64);
  if (is_short && (plan.fits(largest_u32) || is_float))
    count_steps<std::uint16_t>(engine, plan, sites_are_zero, image, out);
  else
    count_steps<std::uint32_t>(engine, plan, sites_are_zero, image, out);
}

/// Euclidean distances in an image of square pixels, from integers.
inline bool is_planar(const distance_plan& plan) {
  return plan.rank == 2 && plan.squares && plan.root && plan.spacing[1] == 1 && plan.spacing[2] == 1 &&
         plan.fits(largest_u32);
}

inline bool has_short_columns(const extents& shape) { return shape.height() <= no_steps<std::uint16_t>; }

/// exact_distances for is_planar plans of images with short columns, the only code for them in a first build.
template <class Image, class Engine>
void planar_distances(Engine& engine, const distance_plan& plan, bool sites_are_zero, const Image& image,
                      const image_in<Engine, float>& out) {
  using value = std::uint32_t;
  engine.lines(out, image, along{line_axis::y, steps_to_site<std::uint16_t>{sites_are_zero}},
               last_line<value>(plan, from_steps<value>{cost_of<value>(plan, line_axis::y)},
                                to_root<value, float>{far_away<float>}));
}

template <class Value, class Sites, class OutImage, class Engine>
void propagate_sites(Engine& engine, const distance_plan& plan, const neighbourhood& near, const Sites& sites,
                     const OutImage& out) {
  using Out = pixel_of<OutImage>;
  const site_distance<Value> distance{cost_of<Value>(plan, line_axis::z), cost_of<Value>(plan, line_axis::y),
                                      cost_of<Value>(plan, line_axis::x)};
  const auto range = range_of<Value>(plan);
  const auto found = sites.reading();
  engine.wave(nearest_of_neighbours<Value>{distance, range.limit}, near, sites, mapped(site_so_far{}, found));
  with_result<Value, Out>(plan, [&]<class To>(const To& to) {
    engine.map(distance_of_site<Value, To>{distance, range, to}, out, found);
  });
}

/// Leaves the site of every pixel in `sites`.
template <class Image, class Sites, class OutImage, class Engine>
void propagated_distances(Engine& engine, const distance_plan& plan, const neighbourhood& near,
                          bool sites_are_zero, const Image& image, const Sites& sites, const OutImage& out) {
  engine.map(own_site{sites_are_zero}, sites, image);
  if constexpr (std::is_floating_point_v<pixel_of<OutImage>>)
    if (!plan.fits(largest_u64)) return propagate_sites<double>(engine, plan, near, sites, out);
  propagate_sites<std::uint64_t>(engine, plan, near, sites, out);
}

}  // namespace macareu

// Carries a value of the nearest site to every pixel, axis by axis like distances. Ties go to the first place
// on the last axis, then to the first on the axis before it.
#pragma once

#include <cstdint>

#include "core/frame.hpp"
#include "core/plain_pixels.hpp"
#include "operators/distance/distance_plan.hpp"
#include "operators/distance/line_distance.hpp"
#include "patterns/images.hpp"

namespace macareu {

template <class Out, class Own>
struct carried_images {
  Out out;
  Own own;                  // the values of sites
  pixel_of<Out> nothing{};  // the value without a site
};
template <class Out, class Own>
carried_images(Out, Own) -> carried_images<Out, Own>;
template <class Out, class Own, class Nothing>
carried_images(Out, Own, Nothing) -> carried_images<Out, Own>;

template <class Value, class Steps, class Images, class Carried, class Engine>
void carry_further(Engine& engine, const distance_plan& plan, const Steps& steps, const Images& images,
                   const Carried& carried) {
  using from_counts = distance_pass<Value, from_steps<Value>, to_values<Value>>;
  const auto range = range_of<Value>(plan);
  const auto along_x = cost_of<Value>(plan, line_axis::x), along_y = cost_of<Value>(plan, line_axis::y);
  if (plan.rank == 2) {
    const from_counts pass{along_x, plan.join, range, {along_y}, {}};
    return engine.carry(pass, line_axis::x, images.nothing, images.out, steps, carried);
  }
  const auto values = temporary<Value>(engine, steps);
  const auto further = temporary<pixel_of<Carried>>(engine, carried);
  const from_counts pass{along_y, plan.join, range, {cost_of<Value>(plan, line_axis::z)}, {}};
  engine.line(pass, line_axis::y, values.image(), steps);
  engine.carry(pass, line_axis::y, images.nothing, further.image(), steps, carried);
  const distance_pass<Value, from_values<Value>, to_values<Value>> last{along_x, plan.join, range, {}, {}};
  engine.carry(last, line_axis::x, images.nothing, images.out, values.reading(), further.reading());
}

template <class Steps, class Image, class Images, class Engine>
void carry_from(Engine& engine, const distance_plan& plan, const steps_to_site<Steps>& count,
                const Image& image, const Images& images) {
  const auto first = plan.rank == 3 ? line_axis::z : line_axis::y;
  const auto steps = temporary<Steps>(engine, image);
  const auto carried = temporary<pixel_of<decltype(images.own)>>(engine, images.own);
  engine.line(count, first, steps.image(), image);
  engine.carry(count, first, images.nothing, carried.image(), image, images.own);
  const auto counted = steps.reading();
  const auto along = carried.reading();
  if (plan.fits(largest_u32)) return carry_further<std::uint32_t>(engine, plan, counted, images, along);
  if constexpr (is_with_u64<Steps>)
    if (plan.fits(largest_u64)) return carry_further<std::uint64_t>(engine, plan, counted, images, along);
  carry_further<double>(engine, plan, counted, images, along);
}

template <class Image, class Images, class Engine>
void carry_nearest(Engine& engine, const distance_plan& plan, bool sites_are_zero, const Image& image,
                   const Images& images) {
  const bool is_short =
      image.whole().depth <= no_steps<std::uint16_t> && image.whole().height <= no_steps<std::uint16_t>;
  if (is_short && (plan.fits(largest_u32) || !plan.fits(largest_u64)))
    carry_from(engine, plan, steps_to_site<std::uint16_t>{sites_are_zero}, image, images);
  else
    carry_from(engine, plan, steps_to_site<std::uint32_t>{sites_are_zero}, image, images);
}

/// Index of a pixel in array order.
struct own_index {
  frame whole;
  MACAREU_HD std::uint64_t operator()(site p) const { return static_cast<std::uint64_t>(whole.index_of(p)); }
};

/// Index of the nearest site; -1 if there is none.
template <class Image, class Indices, class Engine>
void nearest_indices(Engine& engine, const distance_plan& plan, bool sites_are_zero, const Image& image,
                     const Indices& out) {
  const auto own = temporary<std::uint64_t>(engine, out);
  engine.map(own_index{image.whole()}, own.image());
  carry_nearest(engine, plan, sites_are_zero, image,
                carried_images{as_bits(out), own.reading(), ~std::uint64_t{0}});
}

/// Also checks the parameters against the shape.
inline dtype site_index_type(const arguments& all, dtype, const extents& shape) {
  plan_distances("nearest_site", all, shape);
  return dtype::i64;
}

}  // namespace macareu

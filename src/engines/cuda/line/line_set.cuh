// Lines of an image, the best value of a place on them, and the writers of results.
#pragma once

#include <cstdint>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/pixels.cuh"
#include "engines/cuda/tuning.hpp"
#include "patterns/line.hpp"

namespace macareu::cuda {

/// Lines of an image. Lines along y or z lie side by side, `width` of them in each plane.
struct line_set {
  static constexpr int spacing = tuning::halving_spacing;  // of the places found by halving
  line_axis axis;
  std::int64_t planes, width, length;
  std::int64_t ends;  // of runs of `spacing` pixels
  std::int32_t* place = nullptr;
  std::uint8_t* open = nullptr;  // per run: some pixel was not settled
  std::uint32_t* any_open = nullptr;

  template <class T>
  line_set(line_axis along, const view<T>& image)
      : axis(along),
        planes(along == line_axis::z   ? image.height
               : along == line_axis::y ? image.depth
                                       : image.depth * image.height),
        width(along == line_axis::x ? 1 : image.width),
        length(length_along(along, image)),
        ends(ceil_div(length, spacing) + 1) {}

  MACAREU_HD std::int64_t runs() const { return planes * ends * width; }
  /// Runs of neighbouring lines are adjacent in memory.
  MACAREU_HD std::int64_t run_of(std::int64_t plane, std::int64_t column, std::int64_t end) const {
    return (plane * ends + end) * width + column;
  }
  MACAREU_HD std::int64_t run_of(const site& p, std::int64_t height) const {
    const std::int64_t end = place_along(axis, p) / spacing;
    return axis == line_axis::z   ? run_of(p.y, p.x, end)
           : axis == line_axis::y ? run_of(p.z, p.x, end)
                                  : run_of(p.z * height + p.y, 0, end);
  }
  MACAREU_HD site start(std::int64_t plane, std::int64_t column, std::int64_t height) const {
    return axis == line_axis::z   ? site{0, plane, column}
           : axis == line_axis::y ? site{plane, 0, column}
                                  : site{plane / height, plane % height, 0};
  }
};

/// The least value so far, and the first place that has it.
template <class Rule>
struct line_best {
  typename Rule::value value;
  std::int64_t place;

  MACAREU_HD void offer(typename Rule::value other, std::int64_t at) {
    if (other > value || (other == value && at > place)) return;
    value = other;
    place = at;
  }
};

template <class Rule, class Out>
struct write_result {
  Rule rule;
  view<Out> out;
  __device__ void operator()(const site& p, const line_best<Rule>& best) const {
    out[p] = rule.result(best.value);
  }
};

template <class Rule, class Carried>
struct write_carried {
  Rule rule;
  line_axis axis;
  Carried nothing;
  view<Carried> out;
  view<const Carried> carried;
  __device__ void operator()(const site& p, const line_best<Rule>& best) const {
    out[p] = best.value > rule.limit() ? nothing : carried[moved_along(axis, p, best.place)];
  }
};

}  // namespace macareu::cuda

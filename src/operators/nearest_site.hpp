#pragma once

#include <array>
#include <cstdint>

#include "core/call.hpp"
#include "operators/parameters.hpp"
#include "rules/nearest.hpp"

namespace macareu::operators {

struct nearest_site {
  /// Also where the parameters are checked against the shape.
  static dtype index_type(const arguments& all, dtype, const extents& shape) {
    plan_distances("nearest_site", all, shape);
    return dtype::i64;
  }

  static constexpr std::array inputs{input_description{"image", "binary: zero or not"}};
  static constexpr std::array outputs{output_description{.name = "indices",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "index of the nearest zero pixel",
                                                         .computed = &index_type,
                                                         .computed_help = "i64"}};
  static constexpr std::array parameters{metric_parameter, spacing_parameter, invert_parameter,
                                         max_distance_parameter};
  static constexpr operator_description about{
      .name = "nearest_site",
      .verb = "nearest-site",
      .group = "distance",
      .pattern = "line",
      .brief = "Index of the nearest zero pixel of every pixel.",
      .notes =
          "An index counts pixels in the order of the array: (z * height + y) * width + x. Of zero pixels equally "
          "far away the one with the smallest index on the last axis is taken, then on the axis before it, as "
          "SciPy does. Where there is no zero pixel, or none within max_distance, the index is -1.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = call.input<T>(0);
    const auto out = call.output<std::int64_t>(0);
    const auto own = engine.temporary(view<const std::int64_t>(out));
    engine.map(own_index{image.height, image.width}, own.pixels());
    carry_nearest(engine, call, !call.flag("invert"), image,
                  carried_images<std::int64_t>{-1, out, own.pixels()});
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>
#include <cstdint>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/parameters.hpp"
#include "operators/distance/nearest.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct nearest_site {
  static constexpr std::array inputs{input_description{"image", "binary: zero or not"}};
  static constexpr std::array outputs{output_description{.name = "indices",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "index of the nearest zero pixel",
                                                         .computed = &site_index_type,
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
          "An index counts pixels in array order: (z * height + y) * width + x. Ties go to the zero pixel "
          "with the smallest index on the last axis, then on the axis before it, as in SciPy. By chessboard "
          "they go to the smallest on the last axis, then to the nearest along the axes before it, then to "
          "the smallest of those. Sums with fractional spacing are rounded, unless they are counted in "
          "integers (see distance_transform). Pixels within 4 units in the last place may then count as "
          "equally far away, or not. Without a zero pixel, or without one within max_distance, the index is "
          "-1.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {2},
      .formula = "I(p) = index of q, q = argmin over q with f(q) = 0 of |p - q|",
      .peers = {.scipy = "ndimage.distance_transform_edt",
                .itk = "DanielssonDistanceMapImageFilter",
                .matlab = "bwdist",
                .diplib = "VectorDistanceTransform"}};

  /// Signs do not matter here: pixels are copied and compared with zero.
  template <class T>
  using code_type = without_sign<T>;

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const distance_axes axes(call);
    with_bytes(engine, axes.of(plain(input<T>(engine, call, 0))), [&](const auto& sites) {
      nearest_indices(engine, axes.plan(), !call.flag("invert"), sites,
                      axes.of(output<std::int64_t>(engine, call, 0)));
    });
  }
};

}  // namespace macareu::operators

#pragma once

#include <array>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/parameters.hpp"
#include "operators/distance/nearest_values.hpp"

namespace macareu::operators {

struct nearest_label {
  static constexpr std::array inputs{input_description{"image", "labels; zero where there is none"}};
  static constexpr std::array outputs{output_description{
      "labels", output_description::type_rule::same_as_input, "value of the nearest pixel that is not zero"}};
  static constexpr std::array parameters{
      metric_parameter, spacing_parameter,
      parameter_description{max_distance_parameter.name, max_distance_parameter.kind,
                            max_distance_parameter.default_text,
                            "pixels further away count as if they were zero"}};
  static constexpr operator_description about{
      .name = "nearest_label",
      .verb = "nearest-label",
      .group = "distance",
      .pattern = "line",
      .brief = "Gives every pixel the value of the nearest pixel that is not zero.",
      .notes =
          "The result is the Voronoi cells of labelled objects, cut at max_distance. Ties go to the pixel "
          "that nearest_site finds: the smallest index on the last axis, then on the axis before it. By "
          "chessboard they go to the smallest on the last axis, then to the nearest along the axes before "
          "it. Where there is no label the value is 0.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {2},
      .formula = "L(p) = f(q), q = argmin over q with f(q) != 0 of |p - q|",
      .peers = {.skimage = "segmentation.expand_labels",
                .itk = "DanielssonDistanceMapImageFilter",
                .opencv = "distanceTransform"}};

  /// Signs do not matter here: pixels are copied and compared with zero.
  template <class T>
  using code_type = without_sign<T>;

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    give_nearest_values<T>(engine, call);
  }
};

}  // namespace macareu::operators

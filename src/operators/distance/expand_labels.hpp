#pragma once

#include <array>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/parameters.hpp"
#include "operators/distance/nearest_values.hpp"

namespace macareu::operators {

struct expand_labels {
  static constexpr std::array inputs{input_description{"labels", "the number of every pixel's object"}};
  static constexpr std::array outputs{
      output_description{"expanded", output_description::type_rule::same_as_input, "the grown objects"}};
  static constexpr std::array parameters{
      metric_parameter, spacing_parameter,
      parameter_description{max_distance_parameter.name, max_distance_parameter.kind, "1",
                            "how far objects grow, or inf"}};
  static constexpr operator_description about{
      .name = "expand_labels",
      .verb = "expand-labels",
      .group = "objects",
      .pattern = "line",
      .brief = "Grows the objects of a label image by a distance, without overlap.",
      .notes =
          "It is scikit-image's expand_labels and gives what nearest_label gives. Pixels at the same distance "
          "from two objects may go to another one than by scikit-image: ties go to the pixel that "
          "nearest_site finds.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {2},
      .formula =
          "expanded(p) = f(q), q = argmin over q with f(q) != 0 of |p - q|, where |p - q| <= max_distance",
      .peers = {.skimage = "segmentation.expand_labels"}};

  /// Signs do not matter here: pixels are copied and compared with zero.
  template <class T>
  using code_type = without_sign<T>;

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    give_nearest_values<T>(engine, call);
  }
};

}  // namespace macareu::operators

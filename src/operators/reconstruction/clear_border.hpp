#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/difference.hpp"
#include "operators/common/flood.hpp"
#include "operators/common/parameters.hpp"
#include "operators/reconstruction/from_border.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct clear_border {
  static constexpr std::array inputs{input_description{"image", "grey or binary"}};
  static constexpr std::array outputs{output_description{
      "cleared", output_description::type_rule::same_as_input, "what does not touch the border"}};
  static constexpr std::array parameters{connectivity_parameter("full")};
  static constexpr operator_description about{
      .name = "clear_border",
      .verb = "clear-border",
      .group = "reconstruction",
      .pattern = "wave",
      .brief = "Removes bright structures that touch the border of the image.",
      .notes =
          "It is MATLAB's imclearborder. On a binary image it keeps the objects that do not touch the "
          "border. Differences saturate at the end of the pixel type.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {2},
      .formula = "cleared = f - R_f(m); m = f on the border, the lowest value inside",
      .peers = {
          .skimage = "segmentation.clear_border", .matlab = "imclearborder", .diplib = "EdgeObjectsRemove"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    const auto out = output<T>(engine, call, 0);
    refuse_nan<T>(engine, call, 0);
    const from_border<direction::up> start{image.whole(), call.rank() == 3};
    engine.wave(flood_under{}, call.near(), out, mapped(start, image), image);
    engine.map(difference{}, out, image, out.reading());
  }
};

}  // namespace macareu::operators

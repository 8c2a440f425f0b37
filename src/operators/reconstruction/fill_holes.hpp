#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/flood.hpp"
#include "operators/common/parameters.hpp"
#include "operators/reconstruction/from_border.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct fill_holes {
  static constexpr std::array inputs{input_description{"image", "grey or binary"}};
  static constexpr std::array outputs{output_description{
      "filled", output_description::type_rule::same_as_input, "the image with its holes filled"}};
  static constexpr std::array parameters{connectivity_parameter("face")};
  static constexpr operator_description about{
      .name = "fill_holes",
      .verb = "fill-holes",
      .group = "reconstruction",
      .pattern = "wave",
      .brief = "Fills the holes: basins that no path connects to the border of the image.",
      .notes =
          "Reconstruction by erosion from the image's own border: every pixel gets the lowest value over "
          "which water could run off to the border. On a binary image this sets background that the border "
          "does not reach, as SciPy's binary_fill_holes does. The neighbours are those of the background: "
          "face by default, as in SciPy and DIPlib; face closes a ring that is only diagonally connected, "
          "full lets the outside slip through it.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    refuse_nan<T>(engine, call, 0);
    const from_border<direction::down> start{image.whole(), call.rank() == 3};
    engine.wave(flood_over{}, call.near(), output<T>(engine, call, 0), mapped(start, image), image);
  }
};

}  // namespace macareu::operators

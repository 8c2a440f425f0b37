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
          "Every pixel gets the lowest value over which water could run off to the border. On a binary "
          "image this sets background that the border does not reach, as SciPy's binary_fill_holes does. "
          "The neighbours are those of the background: face by default, as in SciPy and DIPlib. With face a "
          "diagonally connected ring is closed; with full it leaks.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {2},
      .formula = "filled = R*_f(m), reconstruction by erosion; m = f on the border, the highest value inside",
      .peers = {.scipy = "ndimage.binary_fill_holes",
                .itk = "GrayscaleFillholeImageFilter, BinaryFillholeImageFilter",
                .matlab = "imfill",
                .diplib = "FillHoles"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    refuse_nan<T>(engine, call, 0);
    const from_border<direction::down> start{image.whole(), call.rank() == 3};
    engine.wave(flood_over{}, call.near(), output<T>(engine, call, 0), mapped(start, image), image);
  }
};

}  // namespace macareu::operators

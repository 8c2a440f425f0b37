#pragma once

#include <array>

#include "core/call.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/flood.hpp"
#include "operators/common/parameters.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct reconstruct {
  static constexpr std::array inputs{
      input_description{"marker", "where the wave starts; not above the mask (by erosion: not below it)"},
      input_description{"mask", "what bounds it; same shape and type"}};
  static constexpr std::array outputs{output_description{
      "reconstruction", output_description::type_rule::same_as_input, "the reconstructed image", true}};
  static constexpr std::array parameters{
      parameter_description{"by", parameter_kind::choice, "dilation", "grow under the mask, or sink onto it",
                            "dilation|erosion"},
      connectivity_parameter("full"),
      parameter_description{"clip", parameter_kind::flag, "false",
                            "clip the marker to the mask instead of refusing it"}};
  static constexpr operator_description about{
      .name = "reconstruct",
      .verb = "reconstruct",
      .group = "reconstruction",
      .pattern = "wave",
      .brief = "Grey-scale reconstruction of a mask from a marker.",
      .notes =
          "Every pixel gets the highest value that reaches it from a marker pixel along a path on which the "
          "mask never falls below it (Vincent 1993). The result keeps the pixel type; scikit-image gives "
          "float. Neighbours are full by default, as in scikit-image and MATLAB; ITK's default is face. A "
          "marker above the mask is an error, as in scikit-image and ITK; clip gives MATLAB's answer.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {2},
      .formula =
          "R_f(m) = lim J_n, where J_0 = m and J_{n+1} = min(dilate(J_n), f); by erosion R*_f(m) = lim "
          "J_n, J_{n+1} = max(erode(J_n), f)",
      .peers = {.skimage = "morphology.reconstruction",
                .scipy = "ndimage.binary_propagation",
                .itk = "ReconstructionByDilationImageFilter, ReconstructionByErosionImageFilter",
                .matlab = "imreconstruct",
                .diplib = "MorphologicalReconstruction"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    if (call.chosen("by", "dilation"))
      toward<direction::up, T>(engine, call);
    else
      toward<direction::down, T>(engine, call);
  }

 private:
  template <direction Toward, class T, class Engine>
  static void toward(Engine& engine, const call& call) {
    const mapped marker(as_given{}, input<T>(engine, call, 0));
    const auto mask = input<T>(engine, call, 1);
    if (call.flag("clip")) {
      refuse_nan<T>(engine, call, 0);
      refuse_nan<T>(engine, call, 1);
      engine.wave(flood<Toward>{}, call.near(), output<T>(engine, call, 0), marker, mask);
    } else {
      const auto refuse = [&] { refuse_marker_beyond_mask<Toward, T>(engine, call, 0, 1); };
      engine.wave(flood<Toward>{}, call.near(), output<T>(engine, call, 0), guarded{marker, refuse}, mask);
    }
  }
};

}  // namespace macareu::operators

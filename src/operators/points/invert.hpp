#pragma once

#include <array>
#include <limits>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct invert {
  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{
      "inverted", output_description::type_rule::same_as_input, "bright where the image is dark", true}};
  static constexpr std::array<parameter_description, 0> parameters{};
  static constexpr operator_description about{
      .name = "invert",
      .verb = "invert",
      .group = "points",
      .pattern = "map",
      .brief = "Exchanges bright and dark.",
      .notes = "It is scikit-image's invert. The output may be the input.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .formula =
          "inverted(p) = highest - f(p) if unsigned; not f(p) if bool; -1 - f(p) if signed; 1 - f(p) if "
          "floating",
      .peers = {.skimage = "util.invert",
                .itk = "InvertIntensityImageFilter",
                .matlab = "imcomplement",
                .opencv = "bitwise_not",
                .diplib = "Invert"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const T top = call.of_booleans() || std::is_floating_point_v<T> ? T{1}
                  : std::is_signed_v<T>                             ? static_cast<T>(-1)
                                                                    : std::numeric_limits<T>::max();
    engine.map(less_than_top<T>{top}, output<T>(engine, call, 0), input<T>(engine, call, 0));
  }

 public:  // nvcc rejects private types in kernels
  template <class T>
  struct less_than_top {
    T top;
    MACAREU_HD T operator()(site, T value) const { return static_cast<T>(top - value); }
  };
};

}  // namespace macareu::operators

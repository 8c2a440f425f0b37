#pragma once

#include <array>
#include <cstdint>

#include "core/call.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct pale_centres {
  static constexpr std::array taken{dtype::u8, dtype::u16};
  static constexpr std::array inputs{input_description{"density", "of a stain"},
                                     input_description{"filled", "the density with its holes filled"},
                                     input_description{"closed", "the density, closed"}};
  static constexpr std::array outputs{output_description{
      "result", output_description::type_rule::same_as_input, "the density, filled where it is closed too"}};
  static constexpr std::array<parameter_description, 0> parameters{};
  static constexpr operator_description about{.name = "pale_centres",
                                              .verb = "pale-centres",
                                              .group = "points",
                                              .pattern = "map",
                                              .brief = "Fills holes as far as a closing does.",
                                              .notes = "result = max(density, min(filled, closed)).",
                                              .inputs = inputs,
                                              .outputs = outputs,
                                              .parameters = parameters,
                                              .types = taken,
                                              .hidden = true,
                                              .in_pieces = false};

  struct filled_where_closed {
    template <class T>
    MACAREU_HD T operator()(site, T density, T filled, T closed) const {
      const T lower = filled < closed ? filled : closed;
      return density > lower ? density : lower;
    }
  };

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    engine.map(filled_where_closed{}, output<T>(engine, call, 0), input<T>(engine, call, 0),
               input<T>(engine, call, 1), input<T>(engine, call, 2));
  }
};

}  // namespace macareu::operators

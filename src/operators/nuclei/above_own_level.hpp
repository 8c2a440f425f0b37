#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/call.hpp"
#include "operators/common/numbers.hpp"
#include "operators/common/own_types.hpp"
#include "operators/common/parameters.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct above_own_level {
  static void check_types(const call& call) { check_own_type(call, 1, dtype::u16); }

  static constexpr std::array taken{dtype::u8, dtype::u32};
  static constexpr std::array inputs{
      input_description{"labels", "the number of every pixel's object"},
      input_description{.name = "density", .help = "u16: of a stain", .own_type = true}};
  static constexpr std::array outputs{
      output_description{"result", output_description::type_rule::boolean,
                         "pixels of objects that are above the object's level"}};
  static constexpr std::array parameters{parameter_description{
      "levels", parameter_kind::numbers, "0", "of the objects 1, 2, ...; others have none", {}, any_number}};
  static constexpr operator_description about{
      .name = "above_own_level",
      .verb = "above-own-level",
      .group = "objects",
      .pattern = "map",
      .brief = "Pixels of objects above a value that each object has.",
      .notes = "A threshold for every object.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .check = &check_types,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  /// Objects without a level count as no object.
  struct with_level {
    std::uint32_t last;
    template <class Label>
    MACAREU_HD std::uint32_t operator()(site, Label label) const {
      return label <= last ? static_cast<std::uint32_t>(label) : 0;
    }
  };
  struct is_above {
    template <class V>
    MACAREU_HD std::uint8_t operator()(site, std::uint32_t least, V density) const {
      return static_cast<std::uint32_t>(density) >= least;
    }
  };

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    constexpr std::uint32_t never = 65536;
    const auto& levels = call.list<number>("levels");
    std::vector<std::uint32_t> least{never};
    for (const auto& level : levels) {
      const auto first = smallest_above<std::uint16_t>(level);
      least.push_back(first ? *first : never);
    }
    const auto labels = input<T>(engine, call, 0);
    const auto own = temporary<std::uint32_t>(engine, labels);
    engine.map(with_level{static_cast<std::uint32_t>(levels.size())}, own.image(), labels);
    engine.recode(own.image(), least);
    with_own_type<T, std::uint16_t>(engine, call, 1, [&](const auto& density) {
      engine.map(is_above{}, output<std::uint8_t>(engine, call, 0), own.reading(), density);
    });
  }
};

}  // namespace macareu::operators

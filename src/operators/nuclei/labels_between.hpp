#pragma once

#include <array>
#include <cstdint>

#include "core/call.hpp"
#include "operators/common/numbers.hpp"
#include "operators/common/own_types.hpp"
#include "operators/common/parameters.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct labels_between {
  static void check_types(const call& call) { check_own_type(call, 1, dtype::f32); }

  static constexpr std::array taken{dtype::u8, dtype::u32};
  static constexpr std::array inputs{
      input_description{"labels", "the nearest object of every pixel"},
      input_description{.name = "distance", .help = "f32: how far it is", .own_type = true},
      input_description{.name = "mask", .help = "some pixels", .mask = true}};
  static constexpr std::array outputs{output_description{
      "result", output_description::type_rule::same_as_input, "labels of pixels at some distances"}};
  static constexpr std::array parameters{
      parameter_description{"beyond", parameter_kind::number, "-1", "pixels further away", {}, any_number},
      parameter_description{
          "up_to", parameter_kind::number, "inf", "and not further than this", {}, any_number},
      parameter_description{"where", parameter_kind::choice, "any",
                            "all pixels, those of the mask, or others", "any|inside|outside"},
      parameter_description{.name = "offset",
                            .kind = parameter_kind::number,
                            .default_text = "0",
                            .help = "added to these labels; if it is not 0, pixels at distance 0 keep theirs",
                            .or_equal = true,
                            .whole = true}};
  static constexpr operator_description about{.name = "labels_between",
                                              .verb = "labels-between",
                                              .group = "objects",
                                              .pattern = "map",
                                              .brief = "Labels of pixels whose distance lies between two.",
                                              .notes = "0 elsewhere, and where the mask says otherwise.",
                                              .inputs = inputs,
                                              .outputs = outputs,
                                              .parameters = parameters,
                                              .check = &check_types,
                                              .types = taken,
                                              .hidden = true,
                                              .in_pieces = false};

  struct label_between {
    float beyond, up_to;
    std::uint32_t offset;
    std::uint8_t any, wanted;
    template <class Label, class V>
    MACAREU_HD Label operator()(site, Label label, V distance, std::uint8_t mask) const {
      const float far = static_cast<float>(distance);
      const bool between = (far > beyond) & (far <= up_to) & ((any != 0) | (mask == wanted)) & (label != 0);
      const bool own = (offset != 0) & (far == 0);
      const auto moved = static_cast<Label>(label + offset), found = between ? moved : Label{0};
      return own ? label : found;
    }
  };

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto value = [&](const char* name) { return static_cast<float>(call.quantity(name).to_double()); };
    const label_between rule{value("beyond"), value("up_to"),
                             pixel_from<std::uint32_t>(call.quantity("offset")), call.chosen("where", "any"),
                             call.chosen("where", "inside")};
    with_own_type<T, float>(engine, call, 1, [&](const auto& distance) {
      engine.map(rule, output<T>(engine, call, 0), input<T>(engine, call, 0), distance,
                 input<std::uint8_t>(engine, call, 2));
    });
  }
};

}  // namespace macareu::operators

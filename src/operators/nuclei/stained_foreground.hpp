#pragma once

#include <array>
#include <cstdint>

#include "core/call.hpp"
#include "operators/common/own_types.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct stained_foreground {
  static void check_types(const call& call) { check_own_type(call, 2, dtype::f32); }

  static constexpr std::array taken{dtype::u8, dtype::u16};
  static constexpr std::array inputs{
      input_description{"density", "of a stain"},
      input_description{"level", "the threshold between both classes around every pixel"},
      input_description{
          .name = "blobs", .help = "f32: above 0 on blobs, below 0 in valleys", .own_type = true}};
  static constexpr std::array outputs{output_description{"foreground", output_description::type_rule::boolean,
                                                         "dense pixels that are not in a valley"}};
  static constexpr std::array parameters{
      parameter_description{"share", parameter_kind::number, "0.85", "of the level that a pixel exceeds"},
      parameter_description{
          "valley", parameter_kind::number, "0.15", "of the level: deeper valleys are cut", {}, 0, true}};
  static constexpr operator_description about{
      .name = "stained_foreground",
      .verb = "stained-foreground",
      .group = "points",
      .pattern = "map",
      .brief = "Pixels above a local threshold, cut along valleys.",
      .notes = "foreground = density > share * level and blobs > -valley * level.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .check = &check_types,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  struct dense_ridge {
    float share, valley;
    template <class T, class V>
    MACAREU_HD std::uint8_t operator()(site, T density, T level, V blobs) const {
      const float high = static_cast<float>(level);
      return static_cast<float>(density) > share * high && static_cast<float>(blobs) > -valley * high;
    }
  };

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto value = [&](const char* name) { return static_cast<float>(call.quantity(name).to_double()); };
    with_own_type<T, float>(engine, call, 2, [&](const auto& blobs) {
      engine.map(dense_ridge{value("share"), value("valley")}, output<std::uint8_t>(engine, call, 0),
                 input<T>(engine, call, 0), input<T>(engine, call, 1), blobs);
    });
  }
};

}  // namespace macareu::operators

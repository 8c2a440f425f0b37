#pragma once

#include <array>
#include <cstdint>

#include <macareu/fixed_point.hpp>

#include "core/call.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct nuclear_landscape {
  static dtype result_type(const arguments&, dtype, const extents&) { return dtype::u16; }

  static constexpr std::array taken{dtype::u8, dtype::f32};
  static constexpr std::array inputs{
      input_description{"distance", "smoothed distance to the background, in pixels"},
      input_description{"density", "smoothed density"}, input_description{"blobs", "above 0 on blobs"},
      input_description{.name = "foreground", .help = "where nuclei are", .mask = true}};
  static constexpr std::array outputs{output_description{.name = "landscape",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "low in the middle of nuclei, 65535 outside",
                                                         .computed = &result_type,
                                                         .computed_help = "u16"}};
  static constexpr std::array parameters{
      parameter_description{"pixel", parameter_kind::number, "1", "size of a pixel"},
      parameter_description{"cap", parameter_kind::number, "3", "the largest distance that counts"},
      parameter_description{
          "density_weight", parameter_kind::number, "1", "height of a step of density", {}, 0, true},
      parameter_description{
          "blob_weight", parameter_kind::number, "1", "height of a step of the blobs", {}, 0, true}};
  static constexpr operator_description about{
      .name = "nuclear_landscape",
      .verb = "nuclear-landscape",
      .group = "points",
      .pattern = "map",
      .brief = "The landscape whose basins are nuclei.",
      .notes =
          "min(pixel * distance, cap) + density_weight * density + blob_weight * blobs, upside down, from 65534 "
          "at -4 to 0 at 12.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  struct height_below {
    float pixel, cap, density_weight, blob_weight;
    template <class T>
    MACAREU_HD std::uint16_t operator()(site, T distance, T density, T blobs, std::uint8_t foreground) const {
      const float far = static_cast<float>(distance) * pixel;
      const float height = (far < cap ? far : cap) + density_weight * static_cast<float>(density) +
                           blob_weight * static_cast<float>(blobs);
      const float steps = (height - lowest_height) * steps_per_height;
      const float kept = steps > 65535 ? 65535.0F : steps > 1 ? steps : 1.0F;
      const auto below =
          65535 - static_cast<std::int32_t>(kept + 0.5F);  // halves up: a loop that is vectorised
      return static_cast<std::uint16_t>(foreground ? below : 65535);
    }
  };

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto value = [&](const char* name) { return static_cast<float>(call.quantity(name).to_double()); };
    engine.map(height_below{value("pixel"), value("cap"), value("density_weight"), value("blob_weight")},
               output<std::uint16_t>(engine, call, 0), input<T>(engine, call, 0), input<T>(engine, call, 1),
               input<T>(engine, call, 2), input<std::uint8_t>(engine, call, 3));
  }
};

}  // namespace macareu::operators

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/objects/outlines/shown_values.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/window.hpp"

namespace macareu::operators {

constexpr output_description picture_channel(std::string_view name) {
  return {.name = name,
          .type = output_description::type_rule::computed,
          .help = "a channel of the picture",
          .computed = [](const arguments&, dtype, const extents&) { return dtype::u8; },
          .computed_help = "u8"};
}

struct object_picture {
  static constexpr std::array taken{dtype::boolean, dtype::i8,  dtype::u8,  dtype::i16, dtype::u16,
                                    dtype::i32,     dtype::u32, dtype::i64, dtype::u64};
  static constexpr std::array inputs{
      input_description{"labels", "the number of every pixel's object"},
      input_description{.name = "image", .help = "what is drawn on, of any type", .own_type = true}};
  static constexpr std::array outputs{picture_channel("red"), picture_channel("green"),
                                      picture_channel("blue")};
  static constexpr operator_description about{
      .name = "object_picture",
      .verb = "object-picture",
      .group = "objects",
      .pattern = "window",
      .brief = "The outlines of objects in colour, on an image in grey.",
      .notes =
          "An outline is the pixels of an object that touch another number along y or x, or the border. "
          "Greys go from the least to the greatest finite value; bytes stay as they are, unless they differ "
          "by less than 64. If all are equal, they are white if above 0.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = {},
      .takes_labels = true,
      .types = taken,
      .hidden = true};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto labels = input<T>(engine, call, 0);
    const auto colours = temporary<std::uint8_t>(engine, labels);
    engine.window(outline_colour{}, border<T>{border_mode::constant, T{0}}, colours.image(), labels);
    draw(engine, call, colours.reading());
  }

  /// 1 .. 6 on outlines: consecutive labels get distant colours.
  struct outline_colour {
    MACAREU_HD static constexpr window_radius radius() { return {0, 1, 1}; }
    template <class Near>
    MACAREU_HD std::uint8_t operator()(site, const Near& near) const {
      const auto own = near(0, 0, 0);
      if (!(own > 0)) return 0;
      const bool inside =
          near(0, -1, 0) == own && near(0, 1, 0) == own && near(0, 0, -1) == own && near(0, 0, 1) == own;
      return inside ? 0 : static_cast<std::uint8_t>(1 + static_cast<std::uint64_t>(own) % 6);
    }
  };

  /// One channel.
  struct drawn {
    shown_value grey;
    std::array<std::uint8_t, 6> colours;

    template <class T>
    MACAREU_HD std::uint8_t operator()(site, T pixel, std::uint8_t colour) const {
      return colour > 0 ? colours[colour - 1u] : grey(pixel);
    }
  };

 private:
  static constexpr std::array<std::array<std::uint8_t, 6>, 3> bright{
      {{255, 80, 90, 255, 240, 60}, {80, 220, 160, 200, 90, 220}, {60, 90, 255, 40, 230, 220}}};

  /// For labels of any type.
  template <class Engine>
  static void draw(Engine& engine, const call& call, const image_in<Engine, const std::uint8_t>& colours) {
    with_pixel_type(call.inputs[1].type(), [&]<class T>(std::type_identity<T>) {
      const auto image = input<T>(engine, call, 1);
      const auto grey = greys(engine.reduce(finite_range{}, image), call.inputs[1].type());
      for (std::size_t c = 0; c < bright.size(); ++c)
        engine.map(drawn{grey, bright[c]}, output<std::uint8_t>(engine, call, c), image, colours);
    });
  }

  static shown_value greys(finite_range::value range, dtype type) {
    constexpr double little = 64;  // a range below it would be too dark to see
    auto [low, high] = range;
    if (type == dtype::u8 && high - low >= little) return {0, 255};
    if (low == high) return {std::min(low, 0.0), std::max(high, 0.0)};
    return {low, high};
  }
};

}  // namespace macareu::operators

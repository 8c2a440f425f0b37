#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/call.hpp"
#include "core/key.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/parameters.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct cast {
  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{.name = "converted",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "the image in the other type",
                                                         .computed = &chosen_type,
                                                         .computed_help = "the type that is asked for"}};
  static constexpr std::array parameters{type_parameter("")};
  static constexpr operator_description about{
      .name = "cast",
      .verb = "cast",
      .group = "points",
      .pattern = "map",
      .brief = "The image in another pixel type.",
      .notes =
          "Integers wrap around in a narrower type, as in C. Fractions are cut off. A float beyond an "
          "integer type becomes its last value, NaN its lowest. In bool every value but 0 is true.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .hidden = true,
      .formula = "converted(p) = f(p) in the other type"};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    convert(engine, call, input<T>(engine, call, 0));
  }

  /// Towards 0.
  template <class To>
  struct truncated {
    template <class F>
    MACAREU_HD To operator()(site, F value) const {
      using limits = std::numeric_limits<To>;
      constexpr F above = static_cast<F>(limits::max() / 2 + 1) * 2;  // a power of 2: exact
      if (!(value > static_cast<F>(limits::lowest()))) return limits::lowest();
      return value >= above ? limits::max() : static_cast<To>(value);
    }
  };

 private:
  /// All pairs of types would take long to compile. Rare ones go by way of a third type that holds all
  /// values.
  template <class Engine, class Image>
  static void convert(Engine& engine, const call& call, const Image& image) {
    using T = pixel_of<Image>;
    const auto type = call.outputs[0].type();
    const bool whole = type != dtype::boolean && type != dtype::f32 && type != dtype::f64;
    if (type == dtype_of<T> || (std::is_integral_v<T> && whole && size_of(type) == sizeof(T))) {
      using bits = key_of<T>;
      engine.map(as_type<bits>{}, output<bits>(engine, call, 0), image.template as<const bits>());
    } else if constexpr (std::is_same_v<T, double>) {
      from_f64(engine, call, image);
    } else if constexpr (std::is_same_v<T, float>) {
      by_way_of<double>(engine, call, image);
    } else if (whole && size_of(type) < sizeof(T)) {
      narrow(engine, call, plain(image));
    } else if constexpr (sizeof(T) == 8) {
      if (type == dtype::f32)
        engine.map(as_type<float>{}, output<float>(engine, call, 0), image);
      else if (type == dtype::f64)
        engine.map(as_type<double>{}, output<double>(engine, call, 0), image);
      else
        engine.map(not_zero{}, output<std::uint8_t>(engine, call, 0), plain(image));
    } else if (type == dtype::f32 || type == dtype::f64) {
      by_way_of<std::conditional_t<sizeof(T) == 4, double, float>>(engine, call, image);
    } else {
      by_way_of<std::int64_t>(engine, call, image);
    }
  }

  template <class Wide, class Engine, class Image>
  static void by_way_of(Engine& engine, const call& call, const Image& image) {
    const auto type = call.outputs[0].type();
    const auto to = [&](const image_in<Engine, Wide>& wide) { engine.map(as_type<Wide>{}, wide, image); };
    if (type == dtype_of<Wide> || (std::is_integral_v<Wide> && type == dtype::u64))
      return to(output<Wide>(engine, call, 0));
    const auto wide = temporary<Wide>(engine, image);
    to(wide.image());
    convert(engine, call, wide.reading());
  }

  template <class Engine, class Image>
  static void narrow(Engine& engine, const call& call, const Image& image) {
    const auto to = [&]<class Bits>(std::type_identity<Bits>) {
      if constexpr (sizeof(Bits) < sizeof(pixel_of<Image>))
        engine.map(as_type<Bits>{}, output<Bits>(engine, call, 0), image);
    };
    const auto size = size_of(call.outputs[0].type());
    if (size == 1)
      to(std::type_identity<std::uint8_t>{});
    else if (size == 2)
      to(std::type_identity<std::uint16_t>{});
    else
      to(std::type_identity<std::uint32_t>{});
  }

  template <class Engine, class Image>
  static void from_f64(Engine& engine, const call& call, const Image& image) {
    const auto type = call.outputs[0].type();
    if (type == dtype::boolean) return engine.map(not_zero{}, output<std::uint8_t>(engine, call, 0), image);
    with_pixel_type(type, [&]<class To>(std::type_identity<To>) {
      if constexpr (std::is_integral_v<To>)
        engine.map(truncated<To>{}, output<To>(engine, call, 0), image);
      else if constexpr (std::is_same_v<To, float>)
        engine.map(as_type<To>{}, output<To>(engine, call, 0), image);
    });
  }
};

}  // namespace macareu::operators

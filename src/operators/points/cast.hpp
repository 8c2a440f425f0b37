#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/call.hpp"
#include "core/key.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/numbers.hpp"
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
  static constexpr std::array parameters{
      type_parameter("f32"),
      parameter_description{"overflow", parameter_kind::choice, "saturate",
                            "what integers do with values beyond their range, and with fractions",
                            "saturate|wrap"}};
  static constexpr operator_description about{
      .name = "cast",
      .verb = "cast",
      .group = "points",
      .pattern = "map",
      .brief = "Converts an image to another pixel type.",
      .notes =
          "By default values are rounded to the nearest integer, halves to even, and those beyond the type "
          "become its last value. With overflow wrap integers wrap around in a narrower type and fractions "
          "are cut off, as by NumPy's astype; floats beyond the type become its last value. NaN becomes the "
          "lowest integer. In bool every value but 0 is true. Values are not rescaled: rescale does that.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .formula = "converted(p) = f(p) in the other type",
      .peers = {.itk = "CastImageFilter, ClampImageFilter", .opencv = "Mat::convertTo", .diplib = "Convert"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    convert(engine, call, input<T>(engine, call, 0));
  }

  /// To the nearest, or towards 0.
  template <class To>
  struct whole_number {
    bool nearest;
    template <class F>
    MACAREU_HD To operator()(site, F value) const {
      return nearest_pixel<To>(nearest ? value : std::trunc(value));
    }
  };
  /// Within a type whose range is given, as its bits.
  template <class Bits>
  struct limited {
    std::int64_t low, high;
    MACAREU_HD Bits operator()(site, std::int64_t value) const {
      return static_cast<Bits>(value < low ? low : value > high ? high : value);
    }
  };
  struct signed_part {
    MACAREU_HD std::int64_t operator()(site, std::uint64_t value) const {
      constexpr auto most = std::numeric_limits<std::int64_t>::max();
      return value > static_cast<std::uint64_t>(most) ? most : static_cast<std::int64_t>(value);
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
    const bool wraps = call.chosen("overflow", "wrap");
    if (type == dtype_of<T> || (wraps && std::is_integral_v<T> && whole && size_of(type) == sizeof(T))) {
      using bits = key_of<T>;
      engine.map(as_type<bits>{}, output<bits>(engine, call, 0), image.template as<const bits>());
    } else if constexpr (std::is_same_v<T, double>) {
      from_f64(engine, call, image);
    } else if constexpr (std::is_same_v<T, float>) {
      by_way_of<double>(engine, call, image);
    } else if (whole && !wraps) {
      if constexpr (std::is_same_v<T, std::int64_t>)
        limit(engine, call, image);
      else
        by_way_of<std::int64_t>(engine, call, image);
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
    const auto to = [&](const image_in<Engine, Wide>& wide) {
      if constexpr (std::is_same_v<pixel_of<Image>, std::uint64_t>)
        engine.map(signed_part{}, wide, image);
      else
        engine.map(as_type<Wide>{}, wide, image);
    };
    if (type == dtype_of<Wide> ||
        (std::is_integral_v<Wide> && type == dtype::u64 && call.chosen("overflow", "wrap")))
      return to(output<Wide>(engine, call, 0));
    const auto wide = temporary<Wide>(engine, image);
    to(wide.image());
    convert(engine, call, wide.reading());
  }

  template <class Engine, class Image>
  static void limit(Engine& engine, const call& call, const Image& image) {
    with_pixel_type(call.outputs[0].type(), [&]<class To>(std::type_identity<To>) {
      if constexpr (std::is_integral_v<To>) {
        using limits = std::numeric_limits<To>;
        using bits = key_of<To>;
        constexpr bool holds_all = sizeof(To) == 8;  // but those of i64 below 0
        engine.map(limited<bits>{static_cast<std::int64_t>(limits::lowest()),
                                 holds_all ? std::numeric_limits<std::int64_t>::max()
                                           : static_cast<std::int64_t>(limits::max())},
                   output<bits>(engine, call, 0), image);
      }
    });
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
        engine.map(whole_number<To>{call.chosen("overflow", "saturate")}, output<To>(engine, call, 0), image);
      else if constexpr (std::is_same_v<To, float>)
        engine.map(as_type<To>{}, output<To>(engine, call, 0), image);
    });
  }
};

}  // namespace macareu::operators

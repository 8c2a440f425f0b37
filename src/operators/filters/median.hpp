#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "core/call.hpp"
#include "core/key.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/wrong_value.hpp"
#include "operators/filters/linear_filter.hpp"
#include "operators/filters/median_window.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct median {
  static int side_of(const arguments& all) {
    const auto& size = std::get<number>(all.at("size"));
    for (const int side : {3, 5, 7})
      if (size.to_double() == side) return side;
    throw wrong_value("median", "size", "3, 5 or 7", to_string(size));
  }
  static dtype result_type(const arguments& all, dtype input, const extents&) {
    side_of(all);
    return input;
  }

  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{.name = "smooth",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "the medians",
                                                         .computed = &result_type,
                                                         .computed_help = "the input's type"}};
  static constexpr std::array parameters{
      parameter_description{
          "size", parameter_kind::number, "3", "side of the window: 3, 5 or 7", {}, any_number},
      border_parameter, outside_parameter};
  static constexpr operator_description about{
      .name = "median",
      .verb = "median",
      .group = "filters",
      .pattern = "window",
      .brief = "The median of a square window around every pixel; of a cube in volumes.",
      .notes = "It is SciPy's median_filter of that size.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .formula =
          "smooth(p) = the middle one of the sorted values f(q), |q - p| <= (size - 1) / 2 along each axis",
      .peers = {.skimage = "filters.median",
                .scipy = "ndimage.median_filter",
                .itk = "MedianImageFilter",
                .matlab = "medfilt2, medfilt3",
                .opencv = "medianBlur",
                .diplib = "MedianFilter"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const bool volume = call.rank() == 3;
    switch (side_of(call.values)) {
      case 3:
        return volume ? by_exchanges<3, 3, T>(engine, call) : by_exchanges<2, 3, T>(engine, call);
      case 5:
        return volume ? by_bits<2, T>(engine, call) : by_exchanges<2, 5, T>(engine, call);
      default:
        return volume ? by_bits<3, T>(engine, call) : by_exchanges<2, 7, T>(engine, call);
    }
  }

 public:  // nvcc rejects private types in kernels
  /// Integers as bits: one instance for both signs.
  template <class T>
  using plain = std::conditional_t<std::is_floating_point_v<T>, T, key_of<T>>;

  template <int Rank, int Side, class T, class Engine>
  static void by_exchanges(Engine& engine, const call& call) {
    using P = plain<T>;
    const auto edge = border_of<T>(call);
    const P sign = std::is_floating_point_v<T> ? P{0} : static_cast<P>(to_key(T{0}));
    engine.window(median_window<Rank, Side, P>{sign}, border<P>{edge.mode, std::bit_cast<P>(edge.outside)},
                  output<T>(engine, call, 0).template as<P>(),
                  input<T>(engine, call, 0).template as<const P>());
  }

  struct as_key {
    template <class T>
    MACAREU_HD auto operator()(site, T value) const {
      return to_key(value);
    }
  };
  template <class T>
  struct back {
    template <class Key>
    MACAREU_HD T operator()(site, Key key) const {
      return from_key<T>(static_cast<key_of<T>>(key));
    }
  };

  /// A count of 343 pixels needs 16 bits.
  template <int R, class T, class Engine>
  static void by_bits(Engine& engine, const call& call) {
    using Key = std::conditional_t<sizeof(T) == 1, std::uint16_t, key_of<T>>;
    const auto image = input<T>(engine, call, 0);
    const auto edge = border_of<T>(call);
    const auto keys = temporary<Key>(engine, image), medians = temporary<Key>(engine, image);
    engine.map(as_key{}, keys.image(), image);
    engine.window(median_by_bits<R, Key>{8 * sizeof(T)}, border<Key>{edge.mode, to_key(edge.outside)},
                  medians.image(), keys.reading());
    engine.map(back<T>{}, output<T>(engine, call, 0), medians.reading());
  }
};

}  // namespace macareu::operators
